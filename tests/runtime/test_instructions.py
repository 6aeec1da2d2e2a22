"""Instruction files in whole turns: in the prompt, told once; and `/init` as an ordinary turn under the gate."""

from __future__ import annotations

from pathlib import Path

from kram import events
from kram.events import ApprovalAnswer
from tests.support.opened import Heard, ScriptedUser, opened

TALK = "end = 'repeat'\n[[steps]]\ntext = 'a'\n"
WRITE = """
[[steps]]
expect = { contains = "make test" }
calls = [{ name = "write_file", args = { path = "AGENTS.md", content = "# Project\\nmake test\\n" } }]
[[steps]]
text = "Written."
"""


def told(heard: Heard) -> list[str]:
    return [event.text for event in heard.of(events.Notice)]


async def test_what_is_loaded_is_in_the_prompt_and_told_once(tmp_path: Path) -> None:
    (tmp_path / "ws").mkdir()
    (tmp_path / "ws" / "AGENTS.md").write_text("Be kind. @style.md @gone.md")
    (tmp_path / "ws" / "style.md").write_text("Use tabs.")
    async with opened(tmp_path, TALK, trust=True) as (runtime, heard):
        await runtime.send("hello")
        await runtime.send("hello again")
        assert told(heard) == [
            "Loaded AGENTS.md, style.md (2 files)",
            "@gone.md in AGENTS.md: there is no such file",
        ]
        prompt = "".join(runtime.inspect().prompt.system)
        assert "## AGENTS.md\nBe kind." in prompt
        assert "## style.md (imported by AGENTS.md)\nUse tabs." in prompt
        (tmp_path / "ws" / "AGENTS.md").write_text("Be brief.")
        await runtime.send("and now")
        assert told(heard)[2:] == ["Changed, read again: AGENTS.md", "No longer there: style.md"]


async def test_init_asks_the_model_with_the_facts_and_writes_only_what_is_approved(tmp_path: Path) -> None:
    (tmp_path / "ws").mkdir()
    (tmp_path / "ws" / "Makefile").write_text("test:\n\ttrue\n")
    user = ScriptedUser()
    async with opened(tmp_path, WRITE, user=user) as (runtime, heard):
        assert await runtime.commands["init"].run(runtime, "mention the port") == ""
        assert (tmp_path / "ws" / "AGENTS.md").read_text() == "# Project\nmake test\n"
        assert "+make test" in user.asked[0].diff
        assert "mention the port" in runtime.entries()[0].content
        await runtime.send("next")
        assert "Loaded AGENTS.md" in told(heard)


async def test_init_leaves_the_project_alone_when_it_is_denied(tmp_path: Path) -> None:
    (tmp_path / "ws").mkdir()
    (tmp_path / "ws" / "Makefile").write_text("test:\n\ttrue\n")
    async with opened(tmp_path, WRITE, user=ScriptedUser([ApprovalAnswer(decision="deny")])) as (runtime, _):
        await runtime.commands["init"].run(runtime, "")
        assert not (tmp_path / "ws" / "AGENTS.md").exists()
