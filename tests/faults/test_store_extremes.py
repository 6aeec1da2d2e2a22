"""Clocks that jump, too few descriptors, very long sessions: nothing is lost, nothing waits for a time that never comes."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from kram.base import SystemClock
from kram.messages import Kind, entry
from kram.runtime import Options, Runtime
from kram.sessions import Store
from tests.support.opened import ScriptedUser
from tests.support.program import Program
from tests.support.terminal import clean_env, kram_argv

YEAR_NS = 365 * 24 * 3600 * 1_000_000_000
CALLING = """
version = 1
end = "loop"
[[steps]]
fault = { kind = "server_error" }
[[steps]]
calls = [{ name = "list_dir", args = { path = "." } }]
[[steps]]
text = "Listed."
"""


class JumpingClock(SystemClock):
    """The wall clock is somebody's to set; the monotonic one is not."""

    def __init__(self) -> None:
        self.offset_ns = 0

    def now_ns(self) -> int:
        return super().now_ns() + self.offset_ns


async def test_s08_a_clock_that_jumps_changes_no_order_and_stalls_nothing(tmp_path: Path) -> None:
    (tmp_path / "ws").mkdir()
    script = tmp_path / "script.toml"
    script.write_text(CALLING)
    clock = JumpingClock()
    said: list[str] = []
    for number, jump in enumerate((0, -10 * YEAR_NS, 5 * YEAR_NS)):
        clock.offset_ns = jump
        runtime = await Runtime.open(
            tmp_path / "ws",
            Options(script=str(script), session="continue" if number else "new"),
            user=ScriptedUser(),
            clock=clock,
            env={"KRAM_HOME": str(tmp_path / "home")},
        )
        try:
            said.append(f"turn {number}")
            result = await runtime.send(said[-1])
            assert (result.subtype, result.text) == ("success", "Listed."), result.error
            entries = runtime.entries()
            assert [one.content for one in entries if one.kind == Kind.USER] == said
            assert [one.created_at for one in entries] == sorted(one.created_at for one in entries)
            # In the middle of a turn as well: the retry's wait is measured by another clock.
            clock.offset_ns -= YEAR_NS
            said.append(f"turn {number} again")
            assert (await runtime.send(said[-1])).subtype == "success"
        finally:
            await runtime.close()


@pytest.mark.parametrize("files", [64, 40])
def test_s09_few_descriptors_answer_or_say_so(tmp_path: Path, files: int) -> None:
    program = Program(tmp_path)
    script = tmp_path / "script.toml"
    script.write_text(CALLING)
    argv = kram_argv("-p", "go", "--script", str(script), "--permission-mode", "auto")
    done = subprocess.run(
        ["sh", "-c", f'ulimit -n {files}; exec "$@"', "sh", *argv],
        cwd=program.workspace,
        env=clean_env(program.home),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert "Traceback" not in done.stderr
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "Listed."
    assert program.run("sessions", "list").out.count("go") == 1


@pytest.mark.timeout(300)
async def test_s10_a_session_of_a_hundred_thousand_entries_opens_and_goes_on(tmp_path: Path) -> None:
    (tmp_path / "ws").mkdir()
    data = tmp_path / "home" / "data"
    data.mkdir(parents=True)
    with Store.open(data / "kram.db", SystemClock()) as store:
        session = store.create(tmp_path / "ws", "long").id
        for start in range(0, 100_000, 10_000):
            store.append(
                session,
                *(
                    entry(Kind.ASSISTANT if number % 2 else Kind.USER, f"entry {number}", model="m")
                    for number in range(start, start + 10_000)
                ),
            )
    script = tmp_path / "script.toml"
    script.write_text('version = 1\nend = "repeat"\n[[steps]]\ntext = "Still here."\n')
    config = tmp_path / "home" / "config"
    config.mkdir()
    (config / "config.toml").write_text(
        f"""
        default_combo = "wide"
        [providers.s]
        kind = "script"
        script = "{script}"
        [providers.s.models.m]
        context_window = 10000000
        [combos.wide]
        candidates = ["s/m"]
        """
    )
    runtime = await Runtime.open(
        tmp_path / "ws",
        Options(session="resume", session_id=session),
        user=ScriptedUser(),
        env={"KRAM_HOME": str(tmp_path / "home")},
    )
    try:
        assert len(runtime.entries()) == 100_000
        result = await runtime.send("are you there?")
        assert (result.subtype, result.text) == ("success", "Still here."), result.error
    finally:
        await runtime.close()
