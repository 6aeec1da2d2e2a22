"""What is known of a project before a model looks: from its own files, however odd they are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kram.workspace import project_facts
from kram.workspace.project_files import (
    READERS,
    commands_of,
    gitlab,
    justfile,
    makefile,
    package_json,
    pre_commit,
    pyproject,
    taskfile,
    tox,
    workflow,
)

PYPROJECT = """
[project]
name = "x"
requires-python = ">=3.11"
scripts = { x = "x.cli:main" }
[project.optional-dependencies]
dev = ["pytest"]
[build-system]
build-backend = "hatchling.build"
[tool.pytest.ini_options]
[tool.poe.tasks]
check = "ruff check"
[tool.hatch.envs.default.scripts]
test = ["pytest", "mypy"]
"""
MAKEFILE = """
CC := gcc
.PHONY: all test
all: build
build test-unit: deps
\tgo build
a/b.o: a/b.c
X = 1
url ::= no
"""
WORKFLOW = """
on: [push]
jobs:
  test:
    steps:
      - uses: actions/checkout@v4
      - run: pip install -e .[dev]
      - name: all
        run: |
          # a comment
          pytest -q

          mypy
"""


@pytest.mark.parametrize(
    ("read", "text", "found"),
    [
        (
            pyproject,
            PYPROJECT,
            [
                "Python >=3.11",
                "built with hatchling.build",
                "configured: hatch, poe, pytest",
                "extras and groups: dev",
                "script x = x.cli:main",
                "poe check: ruff check",
                'hatch default:test: ["pytest", "mypy"]',
            ],
        ),
        (
            package_json,
            '{"packageManager":"pnpm@10","scripts":{"test":"vitest run"},"workspaces":["a","b"]}',
            ["package manager pnpm@10", "run test: vitest run", 'workspaces: ["a", "b"]'],
        ),
        (makefile, MAKEFILE, ["make all", "make build"]),
        (
            justfile,
            "set shell := ['sh']\nx := '1'\ntest *args: build\n  pytest\n@quiet:\n",
            ["just test", "just quiet"],
        ),
        (taskfile, "version: '3'\ntasks:\n  build: {cmds: [x]}\n  test: go test\n", ["task build", "task test"]),
        (tox, "[tox]\n[testenv]\nx=1\n[testenv:lint]\n", ["tox", "tox -e lint"]),
        (pre_commit, "repos:\n- repo: x\n  hooks:\n  - id: ruff\n", ["hook ruff"]),
        (workflow, WORKFLOW, ["pip install -e .[dev]", "pytest -q", "mypy"]),
        (
            gitlab,
            "stages: [a]\ntest:\n  script:\n    - make test\nlint:\n  script: make lint\n",
            ["make test", "make lint"],
        ),
    ],
)
def test_a_files_commands(read: Callable[[str], Iterator[str]], text: str, found: list[str]) -> None:
    assert commands_of(read, text) == found


ODD = [
    *("", "\0", "[", "{", "- a\n- b", "3", "null", "jobs: 3", "a: " + "[" * 5_000, "\ud800", "tasks: [1]"),
    *("jobs: {a: {steps: [3, {run: [1]}, {run: 5}]}}", "tool = 3", "[tool]\npoe = 3", '{"scripts": ["a"]}'),
    *("repos: {a: b}", "x: !!python/object:os.system {}"),
]


@pytest.mark.parametrize("text", ODD)
@pytest.mark.parametrize("read", [*(read for _, read in READERS), workflow])
def test_no_content_is_an_obstacle(read: Callable[[str], Iterator[str]], text: str) -> None:
    assert all(isinstance(line, str) for line in commands_of(read, text))


def test_a_project_is_described_by_what_is_there(tmp_path: Path) -> None:
    for name in ("src/a.py", "src/b.py", "web/c.ts", "README.md", "uv.lock", "dist/built.js", ".cursorrules"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    (tmp_path / ".gitignore").write_text("dist/\n")
    (tmp_path / "Makefile").write_text("test:\n\tpytest \x1b[31m\n")
    (tmp_path / ".github" / "workflows").mkdir(parents=True)
    (tmp_path / ".github" / "workflows" / "ci.yml").write_text(WORKFLOW)
    facts = project_facts(tmp_path)
    assert facts.languages[0] == ("Python", 2)
    assert dict(facts.languages) == {"Python": 2, "TypeScript": 1, "Markdown": 1}
    assert facts.signs == ("uv",)
    assert facts.papers == ("README.md", ".cursorrules")
    assert dict(facts.commands) == {
        "Makefile": ("make test",),
        ".github/workflows/ci.yml": ("pip install -e .[dev]", "pytest -q", "mypy"),
    }
    assert "src/" in facts.layout
    assert "dist/" not in facts.layout
    assert "Named in Makefile:\n  make test" in facts.text()


def test_an_empty_folder_is_a_project_too(tmp_path: Path) -> None:
    assert project_facts(tmp_path).text() == "Files: 0"
