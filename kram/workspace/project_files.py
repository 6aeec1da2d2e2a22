"""Commands that a project's own files name: how it is built, tested and checked. Pure: text in, lines out.

A file that cannot be read as what it claims to be names nothing. Formats: pyproject.toml (PEP 621 and the tables of common
tools), package.json, make, just, Task, tox, pre-commit, GitHub workflows and GitLab pipelines.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterator
from typing import Any

MAX_COMMANDS = 40
"""Of one file."""

_TARGET = re.compile(r"^([A-Za-z0-9][\w./-]*)(?:\s+[A-Za-z0-9][\w./-]*)*\s*:(?![=:])", re.MULTILINE)
_RECIPE = re.compile(r"^@?([A-Za-z0-9][\w-]*)(?: [^:\n]*)?:(?!=)", re.MULTILINE)
_ENV = re.compile(r"^\[(?:testenv:([\w.-]+)|(testenv))\]", re.MULTILINE)


def pyproject(text: str) -> Iterator[str]:
    data = _table(tomllib.loads(text))
    project = _table(data.get("project"))
    if python := project.get("requires-python"):
        yield f"Python {python}"
    if backend := _table(data.get("build-system")).get("build-backend"):
        yield f"built with {backend}"
    tools = _table(data.get("tool"))
    if tools:
        yield f"configured: {', '.join(sorted(tools))}"
    groups = sorted({*_table(project.get("optional-dependencies")), *_table(data.get("dependency-groups"))})
    if groups:
        yield f"extras and groups: {', '.join(groups)}"
    for name, target in _table(project.get("scripts")).items():
        yield f"script {name} = {target}"
    for tool, table in (("pdm", "scripts"), ("poe", "tasks"), ("taskipy", "tasks"), ("rye", "scripts")):
        for name, command in _table(_table(tools.get(tool)).get(table)).items():
            yield f"{tool} {name}: {_words(command)}"
    for name, env in _table(_table(_table(tools.get("hatch")).get("envs"))).items():
        for script, command in _table(_table(env).get("scripts")).items():
            yield f"hatch {name}:{script}: {_words(command)}"


def package_json(text: str) -> Iterator[str]:
    data = _table(json.loads(text))
    if manager := data.get("packageManager"):
        yield f"package manager {manager}"
    for name, command in _table(data.get("scripts")).items():
        yield f"run {name}: {_words(command)}"
    if data.get("workspaces"):
        yield f"workspaces: {_words(data['workspaces'])}"


def makefile(text: str) -> Iterator[str]:
    seen = (match[1] for match in _TARGET.finditer(text))
    yield from (f"make {name}" for name in dict.fromkeys(seen) if not name.startswith(".") and "/" not in name)


def justfile(text: str) -> Iterator[str]:
    yield from (f"just {name}" for name in dict.fromkeys(match[1] for match in _RECIPE.finditer(text)))


def taskfile(text: str) -> Iterator[str]:
    yield from (f"task {name}" for name in _table(_table(_yaml(text)).get("tasks")))


def tox(text: str) -> Iterator[str]:
    yield from (f"tox -e {match[1]}" if match[1] else "tox" for match in _ENV.finditer(text))


def pre_commit(text: str) -> Iterator[str]:
    for repo in _list(_table(_yaml(text)).get("repos")):
        yield from (f"hook {_table(hook).get('id')}" for hook in _list(_table(repo).get("hooks")))


def workflow(text: str) -> Iterator[str]:
    """The `run` steps of a GitHub workflow, one line each."""
    for job in _table(_table(_yaml(text)).get("jobs")).values():
        for step in _list(_table(job).get("steps")):
            yield from _lines(_table(step).get("run"))


def gitlab(text: str) -> Iterator[str]:
    for job in _table(_yaml(text)).values():
        for line in _list(_table(job).get("script")):
            yield from _lines(line)


READERS: tuple[tuple[str, Callable[[str], Iterator[str]]], ...] = (
    ("pyproject.toml", pyproject),
    ("package.json", package_json),
    ("Makefile", makefile),
    ("GNUmakefile", makefile),
    ("justfile", justfile),
    ("Justfile", justfile),
    ("Taskfile.yml", taskfile),
    ("Taskfile.yaml", taskfile),
    ("tox.ini", tox),
    (".pre-commit-config.yaml", pre_commit),
    (".gitlab-ci.yml", gitlab),
)
"""What is looked for in a project's root; workflows lie in `.github/workflows`."""


def commands_of(read: Callable[[str], Iterator[str]], text: str) -> list[str]:
    """What a file names, at most `MAX_COMMANDS`; nothing where it cannot be read."""
    try:
        found = list(dict.fromkeys(" ".join(line.split()) for line in read(text)))
    except (ValueError, RecursionError, TypeError):
        return []
    return found[:MAX_COMMANDS]


def _yaml(text: str) -> Any:
    """Raises `ValueError` for what is no YAML. The library is loaded here: few sessions ever need it."""
    import yaml

    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as failure:
        raise ValueError(str(failure)) from failure


def _table(value: Any) -> dict[str, Any]:
    return {str(key): one for key, one in value.items()} if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value] if isinstance(value, str) else []


def _lines(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield from (line.strip() for line in value.splitlines() if line.strip() and not line.strip().startswith("#"))


def _words(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
