"""`/export` and `/import` in a running session."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kram.base import UsageError
from kram.runtime import Runtime
from tests.support.opened import opened

TALK = "end = 'repeat'\n[[steps]]\ntext = 'Fine.'\n"


async def command(runtime: Runtime, name: str, args: str) -> str:
    return await runtime.commands[name].run(runtime, args)


async def test_a_session_is_exported_where_the_person_says_and_opened_again(tmp_path: Path) -> None:
    async with opened(tmp_path, TALK) as (runtime, _):
        with pytest.raises(UsageError, match="Nothing was said"):
            await command(runtime, "export", "")
        await runtime.send("How are you?")
        first = runtime.session.id
        told = await command(runtime, "export", "")
        assert told.endswith(".md")
        assert "How are you?" in Path(told.removeprefix("Written to ")).read_text()
        await command(runtime, "export", "page.html")
        assert (tmp_path / "ws" / "page.html").read_text().startswith("<!doctype html>")
        with pytest.raises(UsageError, match="already"):
            await command(runtime, "export", "page.html")
        await command(runtime, "export", "json out.txt")
        told = await command(runtime, "import", "out.txt")
        assert runtime.session.id != first
        assert runtime.session.id in told
        assert [entry.content for entry in runtime.entries()] == ["How are you?", "Fine."]
        result = await runtime.send("and now?")
        assert result.text == "Fine."


async def test_a_foreign_session_goes_on_here_and_the_model_is_told_where_it_was_held(tmp_path: Path) -> None:
    record = {"type": "user", "uuid": "1", "parentUuid": None, "sessionId": "s", "cwd": "/far/away"}
    (tmp_path / "ws").mkdir()
    (tmp_path / "ws" / "s.jsonl").write_text(
        json.dumps(record | {"message": {"role": "user", "content": "hello there"}})
    )
    async with opened(tmp_path, TALK) as (runtime, _):
        await command(runtime, "import", "s.jsonl")
        await runtime.send("go on")
        said = runtime.inspect().request.messages[0].text()
        assert "Claude Code in /far/away" in said
        assert "hello there" in said


async def test_checkpoints_of_the_core_engine_are_taken_over(tmp_path: Path) -> None:
    messages = [{"role": "user", "content": "count"}, {"role": "assistant", "content": "3"}]
    value = {"messages": messages, "checkpoints": [{"start": 0, "end": 1, "summary": "Counted."}]}
    (tmp_path / "ws").mkdir()
    (tmp_path / "ws" / "core.json").write_text(json.dumps(value))
    async with opened(tmp_path, TALK) as (runtime, _):
        await command(runtime, "import", "core.json")
        await command(runtime, "export", "core again.json")
        again = json.loads((tmp_path / "ws" / "again.json").read_text())
        assert (again["messages"], again["checkpoints"]) == (messages, value["checkpoints"])


async def test_a_file_that_is_none_leaves_the_session_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "ws").mkdir()
    (tmp_path / "ws" / "bad.json").write_text("{bad")
    async with opened(tmp_path, TALK) as (runtime, _):
        await runtime.send("hello")
        before = (runtime.session.id, runtime.entries(), len(runtime.sessions()))
        for args in ("", "bad.json", "gone.json", "."):
            with pytest.raises(UsageError):
                await command(runtime, "import", args)
        assert (runtime.session.id, runtime.entries(), len(runtime.sessions())) == before
