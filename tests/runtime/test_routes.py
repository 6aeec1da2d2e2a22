"""What is kept and told of who answered: traces by turn, compactions too, and the router's own scores."""

from __future__ import annotations

from pathlib import Path

import pytest

from kram.base import UsageError
from kram.messages import Kind
from kram.runtime import Options, Runtime
from kram.tui.panels.route import by_turn
from tests.support.opened import ScriptedUser, opened

BROKEN = 'version = 1\nend = "repeat"\n[[steps]]\nfault = { kind = "server_error" }\n'
SOUND = """version = 1
end = "repeat"
[[steps]]
when = { no_tools = true }
repeat = 0
text = "What was said before."
[[steps]]
text = "Hello."
usage = { input = 100, output = 5, cache_read = 60 }
"""
CONFIG = """
default_combo = "pair"
[providers.a]
kind = "script"
script = "{folder}/a.toml"
[providers.a.models.m1]
context_window = 100000
[providers.b]
kind = "script"
script = "{folder}/b.toml"
[providers.b.models.m2]
context_window = 100000
[combos.pair]
strategy = "{strategy}"
candidates = ["a/m1", "b/m2"]
# Which of the two a conversation's start hashes to depends on the folder's name.
options = {{ exploration = 0.0, weights = {{ cache = 0 }} }}
"""


def arranged(folder: Path, strategy: str = "priority") -> Path:
    """Two scripted providers, of which the first always fails, as the person's configuration."""
    (folder / "a.toml").write_text(BROKEN)
    (folder / "b.toml").write_text(SOUND)
    (folder / "ws").mkdir(exist_ok=True)
    config = folder / "home" / "config"
    config.mkdir(parents=True, exist_ok=True)
    (config / "config.toml").write_text(CONFIG.format(folder=folder, strategy=strategy))
    return folder


async def started(folder: Path, **options: object) -> Runtime:
    env = {"KRAM_HOME": str(folder / "home")}
    return await Runtime.open(folder / "ws", Options(**options), user=ScriptedUser(), env=env)  # type: ignore[arg-type]


async def test_a_trace_outlives_the_process_and_knows_its_turn(tmp_path: Path) -> None:
    runtime = await started(arranged(tmp_path))
    try:
        result = await runtime.send("hi")
        assert (result.subtype, result.text) == ("success", "Hello.")
        await runtime.send("again")
        session = runtime.session.id
    finally:
        await runtime.close()
    runtime = await started(tmp_path, session="resume", session_id=session)
    try:
        turns = by_turn(runtime.routes())
        assert [[route.winner for route in turn] for turn in turns] == [["b/m2"], ["b/m2"]]
        assert [runtime.words(turn[0].turn) for turn in turns] == ["hi", "again"]
        first = turns[0][0]
        assert [(one.name, one.outcome, one.kind) for one in first.attempts] == [
            ("a/m1", "error", "server_error"),
            ("b/m2", "success", ""),
        ]
        assert first.sent["messages"] > 0
        assert first.sent["tool_definitions"] > 0
        assert "free" not in first.sent
    finally:
        await runtime.close()


async def test_the_stored_answer_carries_the_same_trace(tmp_path: Path) -> None:
    runtime = await started(arranged(tmp_path))
    try:
        await runtime.send("hi")
        (answer,) = [entry for entry in runtime.entries() if entry.kind == Kind.ASSISTANT]
        stored = answer.details["route"]
        assert isinstance(stored, dict)
        assert stored["id"] == runtime.routes()[-1].id
        assert stored["turn"] == runtime.routes()[-1].turn != ""
    finally:
        await runtime.close()


async def test_a_compaction_is_a_call_of_its_turn(tmp_path: Path) -> None:
    script = """end = "repeat"
[[steps]]
when = { no_tools = true }
repeat = 0
text = "What was said before."
[[steps]]
text = "Yes."
"""
    async with opened(tmp_path, script) as (runtime, _):
        for number in range(12):
            await runtime.send(f"question {number} " + "word " * 200)
        await runtime.compact()
        last = runtime.routes()[-1]
        assert (last.purpose, last.turn) == ("compaction", "")


async def test_looking_at_the_scores_changes_no_choice(tmp_path: Path) -> None:
    runtime = await started(arranged(tmp_path, "round-robin"))
    try:
        boards = [runtime.scoreboard() for _ in range(5)]
        assert all(board == boards[0] for board in boards)
        assert boards[0].drawn
        await runtime.send("hi")
        assert runtime.routes()[0].ranking[0].candidate == boards[0].rows[0].name
    finally:
        await runtime.close()


async def test_scores_are_those_the_router_uses(tmp_path: Path) -> None:
    runtime = await started(arranged(tmp_path, "smart"))
    try:
        await runtime.send("hi")
        board = runtime.scoreboard()
        by_name = {row.name: row for row in board.rows}
        assert by_name["b/m2"].ranked.score is not None
        assert by_name["b/m2"].measured.success == 1.0
        assert by_name["a/m1"].measured.failures >= 1
        assert board.rows[0].name == "b/m2", "the one that answered leads its run"
        total = sum(factor.contribution for factor in by_name["a/m1"].ranked.factors)
        assert by_name["a/m1"].ranked.score == pytest.approx(total)
    finally:
        await runtime.close()


async def test_a_strategy_can_be_changed_and_a_wrong_name_says_which_there_are(tmp_path: Path) -> None:
    runtime = await started(arranged(tmp_path))
    try:
        answer = await runtime.commands["strategy"].run(runtime, "reliable")
        assert "reliable" in answer
        assert runtime.combo.strategy == "reliable"
        with pytest.raises(UsageError, match="round-robin"):
            runtime.set_strategy("clever")
        await runtime.send("hi")
        told = await runtime.commands["route"].run(runtime, "")
        assert "b/m2" in told
        assert "reliable" in told
    finally:
        await runtime.close()


async def test_the_embedded_model_can_be_looked_at_before_it_was_ever_asked(tmp_path: Path) -> None:
    (tmp_path / "ws").mkdir()
    env = {"KRAM_HOME": str(tmp_path / "home")}
    runtime = await Runtime.open(tmp_path / "ws", Options(model="local/smollm2-135m"), user=ScriptedUser(), env=env)
    try:
        found = runtime.inspect()
        assert found.body is not None
        assert "tools" not in found.body, "its tools are in the text"
        assert [row.name for row in runtime.scoreboard().rows] == ["local/smollm2-135m"]
    finally:
        await runtime.close()
