"""`bash`: what it says about every way a command can go, and that nothing of it is left but what it says."""

from __future__ import annotations

import asyncio
import re
import uuid
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from kram.tools import ToolFailed, ToolResult
from kram.tools.builtin.bash import Bash
from tests.support.processes import living_with, until
from tests.support.tool_context import Stage


@pytest.fixture
async def stage(tmp_path: Path) -> AsyncIterator[Stage]:
    made = Stage(tmp_path)
    yield made
    await made.processes.close()


@pytest.fixture
def marker() -> str:
    return f"kramtest{uuid.uuid4().hex}"


async def bash(stage: Stage, command: str, **more: object) -> ToolResult:
    return await Bash().run({"command": command, **more}, stage.context)


@pytest.mark.parametrize(
    ("command", "text"),
    [
        ("echo out; echo err >&2", "out\nerr"),
        ("true", "(no output)"),
        ("exit 3", "(no output)\n[exit code 3]"),
        ("echo a; false", "a\n[exit code 1]"),
        ("kill -9 $$", "(no output)\n[killed by signal 9 (SIGKILL)]"),
        ("kill -SEGV $$", "(no output)\n[killed by signal 11 (SIGSEGV)]"),
        ("bash -c 'kill -9 $$'; exit $?", "[exit code 137: a program was killed by SIGKILL]"),
        ("printf 'a\\xff\\xfeb'", "a\ufffd\ufffdb"),
        ("printf '\\033[31mred\\033[0m\\a'", "red\\x07"),
        ("cat", "(no output)"),
        ("read -p 'Name? ' name || echo nobody", "nobody"),
        ("echo ${PAGER} ${TERM} ${GIT_TERMINAL_PROMPT}", "cat dumb 0"),
        ("shopt -q login_shell || echo plain", "plain"),
    ],
)
async def test_t04_a_command_is_told_as_it_went(command: str, text: str, stage: Stage) -> None:
    result = await bash(stage, command)
    assert result.text.endswith(text)
    assert result.is_error == ("exit code" in text or "killed" in text)


async def test_the_exit_code_is_told_apart_from_the_text(stage: Stage) -> None:
    assert (await bash(stage, "exit 3")).details["exit_code"] == 3
    assert (await bash(stage, "kill -TERM $$")).details["exit_code"] == -15


async def test_it_runs_in_the_project_or_a_folder_of_it(stage: Stage) -> None:
    (stage.root / "sub").mkdir()
    assert (await bash(stage, "pwd")).text == str(stage.root)
    assert (await bash(stage, "pwd", cwd="sub")).text == str(stage.root / "sub")
    assert (await bash(stage, "pwd", cwd=str(stage.root / "sub"))).text == str(stage.root / "sub")


@pytest.mark.parametrize("cwd", ["..", "/", "link", "missing", "file"])
async def test_it_runs_nowhere_else(cwd: str, stage: Stage) -> None:
    (stage.root / "link").symlink_to("/")
    (stage.root / "file").touch()
    with pytest.raises(ToolFailed):
        await bash(stage, "pwd", cwd=cwd)


async def test_what_was_approved_is_what_runs(stage: Stage) -> None:
    result = await Bash().run({"command": "echo written"}, stage.with_command("echo approved"))
    assert result.text == "approved"


def test_the_gate_sees_the_command_and_the_folder() -> None:
    effects = Bash().effects({"command": "rm -rf x", "cwd": "sub"})
    assert (effects.command, effects.subject, effects.cwd) == ("rm -rf x", "rm -rf x", "sub")


@pytest.mark.parametrize("command", ["", "  \n", "echo a\0b", "echo " + "x" * 300_000, "echo \ud800"])
async def test_t10_what_cannot_run_says_so(command: str, stage: Stage) -> None:
    with pytest.raises(ToolFailed):
        await bash(stage, command)


async def test_t09_a_project_that_is_gone_says_so_and_one_that_goes_is_survived(stage: Stage) -> None:
    (stage.root / "sub").mkdir()
    result = await bash(stage, f"rmdir {stage.root / 'sub'}; ls > here || echo gone", cwd="sub")
    assert result.text.endswith("gone")
    stage.root.rmdir()
    with pytest.raises(ToolFailed, match="gone"):
        await bash(stage, "true")
    stage.root.mkdir()
    assert not (await bash(stage, "true")).is_error


# --- time and cancelling --------------------------------------------------------------------------------------------


async def test_t01_at_its_time_all_is_dead_and_what_was_said_is_kept(stage: Stage, marker: str) -> None:
    command = f"echo early; trap '' TERM; setsid bash -c '(exec -a {marker} sleep 600) &'; (exec -a {marker} sleep 600) & wait"
    result = await bash(stage, command, timeout_seconds=1)
    assert result.text.startswith("early\n[command timed out after 1s]")
    assert result.is_error
    assert not living_with(marker)


async def test_output_after_the_signal_to_stop_is_kept(stage: Stage) -> None:
    result = await bash(
        stage, "trap 'echo stopping; exit 0' TERM; echo up; while :; do sleep 0.05; done", timeout_seconds=1
    )
    assert re.match(r"up\n(Terminated\n)?stopping\n\[command timed out", result.text)


@pytest.mark.parametrize(
    "command",
    [
        "trap '' TERM; (exec -a {m} sleep 600) & wait",
        "setsid bash -c '(exec -a {m} sleep 600) & exit'; exec -a {m} sleep 600",
        "(exec -a {m} sleep 600) & yes",
        "(exec -a {m} sleep 600) & yes > /dev/null",
    ],
)
async def test_a_cancelled_call_leaves_nobody(command: str, stage: Stage, marker: str) -> None:
    async with asyncio.TaskGroup() as group:
        call = group.create_task(bash(stage, command.format(m=marker)))
        await until(lambda: any("sleep" in Path(f"/proc/{pid}/comm").read_text() for pid in living_with(marker)))
        call.cancel()
    assert call.cancelled()
    assert not living_with(marker)
    assert not stage.artifacts.folder.exists() or list(stage.artifacts.folder.iterdir()) == []


async def test_t02_during_a_flood_the_loop_goes_on_and_the_call_can_be_stopped(stage: Stage, marker: str) -> None:
    turns = 0
    async with asyncio.TaskGroup() as group:
        call = group.create_task(bash(stage, f"exec -a {marker} yes", timeout_seconds=60))
        await until(lambda: stage.progress)
        said = len(stage.progress)
        while len(stage.progress) < said + 3:
            turns += 1
            await asyncio.sleep(0)
        call.cancel()
    assert call.cancelled()
    assert turns > 30
    assert not living_with(marker)


# --- what is left running -------------------------------------------------------------------------------------------


async def test_t05_a_background_child_becomes_a_process_and_does_not_hold_the_call(stage: Stage, marker: str) -> None:
    (stage.root / "go").unlink(missing_ok=True)
    command = f"mkfifo go; (read x < go; echo late; exec -a {marker} sleep 600) & echo now"
    result = await bash(stage, command)
    assert result.text == "now\n[still running in the background as bg1; see process_output, process_kill]"
    assert result.details["process"] == "bg1"
    await asyncio.to_thread((stage.root / "go").write_text, "go\n")
    assert (await stage.processes.wait("bg1", "late", 20)).outcome == "matched"
    await stage.processes.kill("bg1")
    assert not living_with(marker)


async def test_t06_a_daemon_that_lets_go_of_everything_is_a_process_too(stage: Stage, marker: str) -> None:
    result = await bash(stage, f"setsid bash -c '(exec -a {marker} sleep 600 >/dev/null 2>&1) & exit'")
    assert result.details["process"] == "bg1"
    await stage.processes.close()
    assert not living_with(marker)


async def test_what_ends_by_itself_right_after_the_shell_belongs_to_the_call(stage: Stage) -> None:
    result = await bash(stage, "(sleep 0.05; echo late) & echo now")
    assert result.text == "now\nlate"
    assert stage.processes.list() == []


# --- output ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "command",
    [
        "head -c 300000000 /dev/zero | tr '\\0' x",
        "yes 'a line of output' | head -n 12000000",
        "head -c 100000000 /dev/urandom",
    ],
)
async def test_t02_memory_does_not_grow_with_the_output(command: str, stage: Stage) -> None:
    before = resident_bytes()
    peak = 0

    def look(text: str) -> None:
        nonlocal peak
        peak = max(peak, resident_bytes())
        assert len(text) < 10_000

    result = await Bash().run({"command": command, "timeout_seconds": 100}, stage.on_progress(look))
    assert result.details["output_bytes"] >= 100_000_000
    assert peak - before < 64_000_000
    assert len(result.text) < 60_000
    assert "artifact_read art_" in result.text


def resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


async def test_t02_long_output_is_an_artifact_with_its_ends_and_its_trouble(stage: Stage) -> None:
    result = await bash(
        stage,
        "for i in $(seq 30000); do echo line $i; [ $i = 15000 ] && echo 'fatal: the disk is on fire'; done; echo finished",
    )
    artifact = str(result.details["artifact"])
    assert re.fullmatch(r"art_[0-9a-f]{16}", artifact)
    lines = result.text.splitlines()
    assert lines[0] == "line 1"
    assert "finished" in lines
    assert "15001: fatal: the disk is on fire" in lines
    assert len(result.text) < 14_000
    assert artifact in lines[-1]
    info = stage.artifacts.info(artifact)
    assert (info.session_id, info.call_id, info.tool) == (stage.session_id, "call_0", "bash")
    assert stage.artifacts.read(artifact, -9).text == "finished\n"
    assert info.size == result.details["output_bytes"]


async def test_what_the_filter_hides_can_be_read(stage: Stage) -> None:
    result = await bash(stage, "seq 1000")
    assert "hidden" in result.text
    assert stage.artifacts.info(str(result.details["artifact"])).size == 3893


async def test_short_output_leaves_nothing_on_disk(stage: Stage) -> None:
    await bash(stage, "echo short")
    assert not stage.artifacts.folder.exists()


async def test_t03_output_is_shown_while_it_runs_and_cleaned(stage: Stage) -> None:
    async with asyncio.TaskGroup() as group:
        call = group.create_task(bash(stage, "printf '\\033[1mup\\033[0m\\n'; mkfifo go; read x < go; echo end"))
        await until(lambda: "".join(stage.progress) == "up\n")
        assert not call.done()
        await until((stage.root / "go").exists)
        await asyncio.to_thread((stage.root / "go").write_text, "x\n")
    assert "".join(stage.progress) == "up\nend\n"


async def test_t08_a_command_that_wants_a_person_gets_a_hint(stage: Stage) -> None:
    result = await bash(stage, "python3 -c 'input()'")
    assert "EOFError" in result.text
    assert "use options that do not ask" in result.text
