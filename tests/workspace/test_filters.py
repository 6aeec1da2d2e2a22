"""The output filter: what a terminal would show, without what says nothing, and never without what went wrong."""

from __future__ import annotations

import random

import pytest

from kram.workspace import filter_output
from kram.workspace.filter_profiles import looks_like_trouble, profile_for
from kram.workspace.filters import MAX_LINE_CHARS, MAX_TROUBLE_LINES


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("plain\n", "plain"),
        ("\x1b[31mred\x1b[0m\r\nnext\r\n", "red\nnext"),
        ("10%\r50%\r100%\n", "100%"),
        ("working\r\x1b[K\ndone", "working\ndone"),
        ("spin|\b/\b-\b ok", "spin ok"),
        ("a\x00b\x07", "a\\x00b\\x07"),
        ("\x1b]0;title\x07text", "text"),
        ("tabs\tstay  \n\n\n", "tabs\tstay"),
        ("", ""),
    ],
)
def test_it_is_what_a_terminal_would_show_in_the_end(raw: str, shown: str) -> None:
    assert filter_output(raw).text == shown


def test_a_run_of_one_line_is_counted() -> None:
    filtered = filter_output("start\n" + "same\n" * 1_000 + "end\n")
    assert filtered.text == "start\nsame\n[the same 999 more times]\nend"
    assert filtered.hidden_lines == 999
    assert filter_output("}\n}\n}\n").text == "}\n}\n}"


def test_a_progress_display_of_many_lines_is_folded() -> None:
    steps = "".join(f"[{'=' * (i // 5):<20}] {i:3}% {i}/100 MB\n" for i in range(101))
    filtered = filter_output(f"downloading\n{steps}done\n")
    assert filtered.text.splitlines()[0] == "downloading"
    assert filtered.text.splitlines()[-2:] == [f"[{'=' * 20}] 100% 100/100 MB", "done"]
    assert len(filtered.text.splitlines()) == 5


def test_numbers_in_a_column_are_no_progress_display() -> None:
    for numbers in (range(300), [f"{n * 37 % 100}%" for n in range(300)]):
        text = "\n".join(map(str, numbers))
        assert filter_output(text).text == text


@pytest.mark.parametrize(
    ("command", "profile"),
    [
        ("pytest -x", "pytest"),
        ("cd app && PYTHONPATH=. timeout 60 python3 -m pytest tests", "pytest"),
        (".venv/bin/pytest", "pytest"),
        ("cargo test --all", "cargo"),
        ("npm install", "npm"),
        ("pnpm --filter web add x", "npm"),
        ("npm test", "js-test"),
        ("npx vitest run", "js-test"),
        ("go test ./...", "go"),
        ("pip install -e .", "pip"),
        ("make -j4", "build"),
        ("./gradlew build", "jvm"),
        ("docker build .", "docker"),
        ("sudo apt-get install -y x", "packages"),
        ("git -C sub fetch", "git"),
        ("cat makefile pytest", "generic"),
        ("echo hello", "generic"),
        ("", "generic"),
    ],
)
def test_the_command_chooses_the_profile(command: str, profile: str) -> None:
    assert profile_for(command).name == profile


ROUTINE = {
    "pytest -v": [f"tests/test_a.py::test_{i} PASSED      [ {i % 100}%]" for i in range(300)],
    "cargo build": [f"   Compiling crate{i} v0.{i}.0" for i in range(300)],
    "cargo test": [f"test module::case_{i} ... ok" for i in range(300)],
    "npm install": [f"npm http fetch GET 200 https://example.test/{i}" for i in range(300)],
    "go test ./...": [f"ok  \texample.test/pkg{i}\t0.0{i}s" for i in range(300)],
    "pip install x": [f"Collecting package{i}>=1" for i in range(300)],
    "make": [f"[ {i % 100}%] Building C object file{i}.o" for i in range(300)],
}
TROUBLE = [
    "error[E0308]: mismatched types",
    "tests/test_a.py::test_x FAILED",
    "E       assert 1 == 2",
    'File "x.py", line 3, in f',
    "    at Object.<anonymous> (a.js:1:2)",
    "src/main.c:10:5: warning: unused",
    "npm ERR! code ENOENT",
    "panic: runtime error",
    "--- FAIL: TestX (0.00s)",
    "connection timed out",
    "permission denied",
]


@pytest.mark.parametrize("command", list(ROUTINE))
def test_routine_goes_and_trouble_stays_wherever_it_stands(command: str) -> None:
    lines = list(ROUTINE[command])
    places = random.Random(1).sample(range(len(lines)), len(TROUBLE))
    for place, line in zip(places, TROUBLE, strict=True):
        lines.insert(place, line)
    filtered = filter_output("\n".join(lines), command)
    shown = filtered.text.splitlines()
    assert [line for line in shown if line in TROUBLE] == [line for line in lines if line in TROUBLE]
    assert len(shown) < 40
    assert filtered.hidden_lines == 300
    assert "300 routine lines hidden" in filtered.text


def test_when_all_is_routine_the_last_line_speaks() -> None:
    filtered = filter_output("\n".join(ROUTINE["go test ./..."]), "go test ./...")
    assert filtered.text == f"{ROUTINE['go test ./...'][-1]}\n[299 routine lines hidden]"


def test_the_middle_of_a_long_output_is_counted_and_its_trouble_kept() -> None:
    lines = [f"row {i} of it" for i in range(5_000)]
    lines[2_000] = "fatal: it broke"
    filtered = filter_output("\n".join(lines))
    shown = filtered.text.splitlines()
    assert shown[0] == lines[0]
    assert shown[-1] == lines[-1]
    assert "fatal: it broke" in shown
    assert shown[200] == "[… 1800 lines hidden …]"
    assert filtered.hidden_lines == 5_000 - 401


def test_even_trouble_has_a_limit() -> None:
    filtered = filter_output("\n".join(f"error {i}" for i in range(50_000)))
    assert len(filtered.text.splitlines()) <= 400 + MAX_TROUBLE_LINES + 5


def test_no_failure_is_no_trouble() -> None:
    assert not looks_like_trouble("0 errors, no warnings")
    assert looks_like_trouble("2 errors, no warnings")


def test_a_very_long_line_keeps_its_ends() -> None:
    filtered = filter_output("a" + "x" * 1_000_000 + "z")
    assert len(filtered.text) < MAX_LINE_CHARS + 100
    assert filtered.text.startswith("ax")
    assert filtered.text.endswith("xz")


@pytest.mark.parametrize(
    "text",
    [
        "1" * 60_000,
        "%" * 60_000,
        "=" * 60_000,
        " " * 60_000,
        "a:" * 30_000,
        "\r" * 60_000,
        "x\b" * 30_000,
        "git" + " -a" * 20_000,
    ],
)
def test_nothing_makes_it_slow(text: str) -> None:
    """Bounded by the test's own time limit: a quadratic step would take minutes here."""
    for command in ("", "pytest", "git" + " -a" * 1_300, text):
        filter_output(text, command)


def test_the_same_output_gives_the_same_text() -> None:
    text = "\n".join(random.Random(3).choice(TROUBLE + ROUTINE["make"]) for _ in range(3_000))
    assert filter_output(text, "make") == filter_output(text, "make")
