"""`kram sessions` from the shell, over a store that another kram filled."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kram.base import SystemClock
from kram.messages import Kind, entry
from kram.sessions import Store
from tests.support.program import Program


@pytest.fixture
def program(tmp_path: Path) -> Program:
    return Program(tmp_path)


def fill(program: Program, *texts: str, workspace: Path | None = None, title: str = "") -> str:
    data = program.home / "kram" / "data"
    with Store.open(data / "kram.db", SystemClock()) as store:
        session = store.create(workspace or program.workspace.resolve(), title).id
        for number, text in enumerate(texts):
            store.append(session, entry(Kind.ASSISTANT if number % 2 else Kind.USER, text))
    return session


def test_search_finds_words_of_this_project_or_of_all(program: Program) -> None:
    here = fill(program, "where is the heron?", "In the reeds.", title="Birds")
    there = fill(program, "a heron elsewhere", workspace=program.folder / "other")
    done = program.run("sessions", "search", "heron")
    assert (done.code, done.err) == (0, "")
    assert here in done.out
    assert there not in done.out
    assert "> user: where is the heron?" in done.out
    assert "assistant: In the reeds." in done.out
    assert there in program.run("sessions", "search", "heron", "--all").out
    (hit,) = json.loads(program.run("sessions", "search", "the", "heron", "--json").out)
    assert (hit["session_id"], hit["said"]["text"]) == (here, "where is the heron?")
    assert [one["text"] for one in hit["after"]] == ["In the reeds."]


@pytest.mark.parametrize("query", ['"', "*", "NEAR(", "--", "a AND"])
def test_search_takes_any_text(program: Program, query: str) -> None:
    fill(program, "something")
    done = program.run("sessions", "search", "--json", "--", query)
    assert (done.code, json.loads(done.out)) == (0, [])


def test_a_session_goes_out_and_comes_in_again(program: Program) -> None:
    session = fill(program, "where is the heron?", "In the *reeds*.", title="Birds")
    for name, words in (("b.html", "<em>reeds</em>"), ("b.md", "## You"), ("b.json", '"version": 1')):
        done = program.run("sessions", "export", session, "-o", name)
        assert (done.code, done.out, done.err) == (0, "", "")
        assert words in (program.workspace / name).read_text()
    assert '"messages"' in program.run("sessions", "export", session, "--format", "core").out
    taken = json.loads(program.run("sessions", "import", "b.json", "--json").out)
    assert (taken["form"], taken["entries"], taken["title"]) == ("kram", 2, "Birds")
    assert len(program.run("sessions", "search", "heron", "--json").out) > 2
    shown = program.run("sessions", "show", taken["session_id"]).out
    assert "In the *reeds*." in shown


@pytest.mark.parametrize(("content", "told"), [("{bad", "no JSON"), ("", "empty"), (None, "cannot be read")])
def test_a_file_that_is_no_session_is_told_and_nothing_is_stored(
    program: Program, content: str | None, told: str
) -> None:
    if content is not None:
        (program.workspace / "x.json").write_text(content)
    done = program.run("sessions", "import", "x.json")
    assert (done.code, done.out) == (2, "")
    assert told in done.err
    assert json.loads(program.run("sessions", "list", "--json").out) == []
