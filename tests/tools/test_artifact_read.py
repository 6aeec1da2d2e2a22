"""One tool opens whatever was shortened: spilled outputs and entries of the session, by the id that stands in their place."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from kram.context import ViewPolicy, viewed
from kram.context.stages.lod import stub
from kram.messages import Kind, entry
from kram.tools import ToolFailed, builtin_tools
from kram.tools.tool import ToolResult
from tests.support.tool_context import Stage

TEXT = "".join(f"row {number} ä\n" for number in range(2_000))


@pytest.fixture
async def stage(tmp_path: Path) -> AsyncIterator[Stage]:
    made = Stage(tmp_path)
    yield made
    await made.processes.close()
    made.store.close()


async def read(stage: Stage, **args: Any) -> ToolResult:
    tool = next(one for one in builtin_tools() if one.name == "artifact_read")
    return await tool.run(args, stage.context)


def kept(stage: Stage, where: str) -> str:
    """The same text as an artifact or as an entry; its id."""
    if where == "artifact":
        return stage.artifacts.put(TEXT.encode(), session_id=stage.session_id, call_id="c", tool="bash")
    (stored,) = stage.store.append(stage.session_id, entry(Kind.TOOL_RESULT, TEXT, tool_call_id="c"))
    return stored.id


@pytest.mark.parametrize("where", ["artifact", "entry"])
async def test_ranges_join_to_the_whole_text(stage: Stage, where: str) -> None:
    identity, text, offset = kept(stage, where), "", 0
    while True:
        result = await read(stage, id=identity, offset=offset, limit=1_001)
        part, _, note = result.text.rpartition("\n")
        text += part + ("\n" if len((text + part).encode()) < result.details["next_offset"] else "")
        if note.startswith("[end"):
            break
        offset = result.details["next_offset"]
        assert f"next offset {offset}" in note
    assert text == TEXT


@pytest.mark.parametrize("where", ["artifact", "entry"])
async def test_the_end_and_matching_lines_are_found(stage: Stage, where: str) -> None:
    identity = kept(stage, where)
    assert (await read(stage, id=identity, offset=-12)).text.startswith("row 1999 ä")
    found = await read(stage, id=identity, search=r"ROW 1\d42\b", ignore_case=True)
    rows = found.text.splitlines()
    assert [row.partition(": ")[2] for row in rows] == [f"row 1{digit}42 ä" for digit in range(10)]
    offset = int(re.search(r"offset (\d+)", rows[0])[1])  # type: ignore[index]
    assert (await read(stage, id=identity, offset=offset, limit=11)).text.startswith("row 1042 ä")
    assert (await read(stage, id=identity, search="nowhere")).text == "(no match)"
    with pytest.raises(ToolFailed, match="regular expression"):
        await read(stage, id=identity, search="(")


async def test_the_id_in_a_shortened_view_opens_the_whole(stage: Stage) -> None:
    (stored,) = stage.store.append(stage.session_id, entry(Kind.TOOL_RESULT, TEXT, tool_call_id="c"))
    for shown in (stub(stored, 500).content, viewed(stored, ViewPolicy(cap_chars=500).cap_chars).content):
        named = re.search(r"event_id=\S+?(?=[\s\]])", shown)
        assert named is not None
        assert (await read(stage, id=named.group(), offset=-12)).text.startswith("row 1999 ä")


async def test_what_a_compaction_folded_can_still_be_opened(stage: Stage) -> None:
    (old,) = stage.store.append(stage.session_id, entry(Kind.USER, "the exact words"))
    stage.store.compact(stage.session_id, entry(Kind.COMPACTION, "short"), [old.id])
    assert (await read(stage, id=old.id)).text == "the exact words\n[end, 15 bytes]"


@pytest.mark.parametrize(
    "identity", ["art_0123456789abcdef", "art_../../etc/passwd", "nothing", "", "../kram.db", "\x1b[2J"]
)
async def test_any_other_id_is_told(stage: Stage, identity: str) -> None:
    with pytest.raises(ToolFailed) as told:
        await read(stage, id=identity)
    assert "\x1b" not in str(told.value)


async def test_entries_of_another_session_are_not_opened(stage: Stage) -> None:
    other = stage.store.create("/elsewhere").id
    (theirs,) = stage.store.append(other, entry(Kind.USER, "private"))
    with pytest.raises(ToolFailed, match="neither"):
        await read(stage, id=theirs.id)
