"""Skills as the model uses them: listed, read whole, and kept from it where their author says so."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kram.config import TrustStore
from kram.tools import Tool, ToolFailed, builtin_tools
from tests.support.opened import opened
from tests.support.tool_context import Stage


def tool(name: str) -> Tool:
    return next(one for one in builtin_tools() if one.name == name)


def skill(folder: Path, name: str, head: str = "", body: str = "Do it well.") -> Path:
    path = folder / name / "SKILL.md"
    path.parent.mkdir(parents=True)
    path.write_text(f"---\nname: {name}\ndescription: How to {name}\n{head}---\n{body}\n")
    return path


async def call(stage: Stage, tool_name: str, /, **args: Any) -> str:
    return (await tool(tool_name).run(args, stage.context)).text


async def test_a_skill_is_listed_and_read_with_its_files(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    path = skill(tmp_path / "skills", "paint", body="Use \x1b[31mred.")
    (path.parent / "colours.md").write_text("red")
    skill(tmp_path / "skills", "hidden", "disable-model-invocation: true\n")
    assert await call(stage, "skill_list") == "paint [user]: How to paint"
    text = await call(stage, "skill", name="/paint")
    assert "Files: colours.md" in text
    assert "Use \\x1b[31mred." in text
    assert "description:" not in text
    for name in ("pain", "hidden", ""):
        with pytest.raises(ToolFailed, match="no skill"):
            await call(stage, "skill", name=name)
    path.write_text("---\nname: paint\ndescription: x\n---\nchanged")
    assert "changed" in await call(stage, "skill", name="paint")


async def test_without_skills_nothing_is_said(tmp_path: Path) -> None:
    assert await call(Stage(tmp_path), "skill_list") == "(no skills)"
    (tmp_path / "run").mkdir()
    async with opened(tmp_path / "run", "[[steps]]\ntext = 'a'\n") as (runtime, _):
        await runtime.send("hello")
        assert "# Skills" not in "".join(runtime.inspect().prompt.system)


async def test_the_prompt_names_own_skills_and_those_of_a_trusted_project(tmp_path: Path) -> None:
    skill(tmp_path / "home" / "config" / "skills", "mine")
    skill(tmp_path / "home" / "config" / "skills", "manual", "disable-model-invocation: true\n")
    skill(tmp_path / "ws" / ".kram" / "skills", "theirs")
    async with opened(tmp_path, "end = 'repeat'\n[[steps]]\ntext = 'a'\n") as (runtime, _):
        await runtime.send("hello")
        prompt = "".join(runtime.inspect().prompt.system)
        assert "- mine: How to mine" in prompt
        assert "manual" not in prompt
        assert "theirs" not in prompt, "nobody trusted this project"
        store = TrustStore(tmp_path / "home" / "data")
        store.answer(tmp_path / "ws", store.state(tmp_path / "ws"), trusted=True)
        await runtime.send("again")
        assert "- theirs: How to theirs" in "".join(runtime.inspect().prompt.system)
        (tmp_path / "ws" / ".kram" / "skills" / "theirs" / "SKILL.md").write_text("---\ndescription: other\n---\n")
        await runtime.send("changed")
        assert "theirs" not in "".join(runtime.inspect().prompt.system), "what was trusted is not what is there"
