"""Children: what they inherit, how their output comes, and that none is left, whatever they try."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import textwrap
import uuid
from pathlib import Path

import pytest

from kram.base.child_limits import Limits
from kram.base.spawn import Child, SpawnFailed, child_env, reap_leftovers, run, shell_argv, spawn
from tests.support.processes import living_with, until, until_now

CANARY = "canary-5f1c"


async def text_of(child: Child) -> str:
    said = b""
    while chunk := await child.read():
        said += chunk
    return said.decode()


async def shell(text: str, cwd: Path, **more: object) -> str:
    return (await run(text, cwd=cwd, **more)).output.decode()  # type: ignore[arg-type]


@pytest.fixture
def marker() -> str:
    """Stands in the arguments of whatever a test starts, so that survivors can be told from everything else."""
    return f"kramtest{uuid.uuid4().hex}"


# --- what a child inherits ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        "ANTHROPIC_API_KEY",
        "GITHUB_TOKEN",
        "DB_PASSWORD",
        "AWS_SECRET_ACCESS_KEY",
        "GOOGLE_APPLICATION_CREDENTIALS",
        "CARGO_REGISTRY_TOKEN",
        "UV_PUBLISH_PASSWORD",
        "XDG_SECRET",
        "npm_config_authtoken",
        "LD_PRELOAD",
        "BASH_ENV",
        "ENV",
        "GIT_SSH_COMMAND",
        "GIT_EXTERNAL_DIFF",
        "PYTHONSTARTUP",
        "NODE_OPTIONS",
        "SOMETHING_NOBODY_LISTED",
        "BASH_FUNC_ls%%",
    ],
)
def test_what_is_secret_or_starts_programs_stays_behind(name: str) -> None:
    env = child_env(base={name: CANARY, "PATH": "/bin", "LC_ALL": "C.UTF-8"})
    assert CANARY not in env.values()
    assert env["PATH"] == "/bin"
    assert env["LC_ALL"] == "C.UTF-8"


def test_a_login_in_a_url_stays_behind() -> None:
    env = child_env(base={"HTTPS_PROXY": f"http://me:{CANARY}@proxy:1", "HTTP_PROXY": "http://proxy:1"})
    assert "HTTPS_PROXY" not in env
    assert env["HTTP_PROXY"] == "http://proxy:1"


async def test_a_planted_key_is_in_no_environment_of_the_tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", CANARY)
    said = await shell("env; bash -c env; cat /proc/$$/environ | tr '\\0' '\\n'", tmp_path)
    assert "PATH=" in said
    assert CANARY not in said


async def test_an_exported_function_hijacks_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BASH_FUNC_ls%%", "() {  echo hijacked; }")
    monkeypatch.setenv("LC_HIJACK", "() {  echo hijacked; }")
    (tmp_path / "plain").touch()
    assert await shell("ls", tmp_path) == "plain\n"


async def test_start_up_files_are_not_read(tmp_path: Path) -> None:
    for name in (".bashrc", ".bash_profile", ".profile"):
        (tmp_path / name).write_text("echo read a start-up file\n")
    assert await shell("echo clean", tmp_path, env=child_env({"HOME": str(tmp_path)})) == "clean\n"


async def test_nothing_waits_for_a_person(tmp_path: Path) -> None:
    said = await shell(
        'read line; echo "got $? [$line]"; (: </dev/tty) 2>/dev/null || echo no terminal; echo $TERM $PAGER; $EDITOR x; echo $?',
        tmp_path,
    )
    assert said.splitlines() == ["got 1 []", "no terminal", "dumb cat", "1"]


async def test_a_child_leads_its_own_session_and_group(tmp_path: Path) -> None:
    said = await shell("ps -o pid=,pgid=,sid= -p $$", tmp_path)
    assert len(set(said.split())) == 1
    assert os.getsid(0) != int(said.split()[0])


async def test_no_descriptor_of_ours_is_open_in_a_child(tmp_path: Path) -> None:
    with (tmp_path / "open-in-kram").open("w") as held:
        os.set_inheritable(held.fileno(), True)
        said = await shell("ls -l /proc/$$/fd", tmp_path)
    assert "open-in-kram" not in said


async def test_t07_limits_bind_the_child(tmp_path: Path) -> None:
    child = await spawn(
        "sleep 0.1; head -c 100000 /dev/zero > big; wc -c < big", cwd=tmp_path, limits=Limits(file_bytes=50_000)
    )
    assert "50000" in await text_of(child)
    await child.wait()
    child.close()


# --- starting -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("argv", "reason"),
    [
        (["no-such-program-here"], "no program named no-such-program-here"),
        (["true", "a\0b"], "NUL"),
        ("echo a\0b", "NUL"),
        (["true", "x" * 3_000_000], "too long"),
        (["true", "\ud800"], "can't be passed"),
    ],
)
async def test_what_cannot_start_says_why(argv: list[str] | str, reason: str, tmp_path: Path) -> None:
    with pytest.raises(SpawnFailed, match=reason):
        await spawn(argv, cwd=tmp_path)


async def test_a_missing_working_directory_is_named(tmp_path: Path) -> None:
    with pytest.raises(SpawnFailed, match="working directory"):
        await spawn(["true"], cwd=tmp_path / "gone")


async def test_a_directory_that_vanishes_under_the_child_is_the_childs_problem(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    said = await shell(f"rmdir {work}; ls > list || echo could not; echo on", work)
    assert said.endswith("could not\non\n")


# --- output and input -----------------------------------------------------------------------------------------------


async def test_output_and_errors_come_in_one_stream_or_apart(tmp_path: Path) -> None:
    assert await shell("echo a; echo b >&2", tmp_path) == "a\nb\n"
    apart = await run("echo a; echo b >&2; exit 3", cwd=tmp_path, errors="pipe")
    assert (apart.code, apart.output, apart.errors) == (3, b"a\n", b"b\n")
    assert await shell("echo a; echo b >&2", tmp_path, errors="drop") == "a\n"


async def test_more_input_than_a_pipe_holds_goes_both_ways(tmp_path: Path) -> None:
    data = os.urandom(1_000_000)
    done = await run(["cat"], cwd=tmp_path, stdin_data=data, max_bytes=2_000_000)
    assert done.output == data


async def test_input_to_a_child_that_reads_no_more_is_refused(tmp_path: Path) -> None:
    child = await spawn(["true"], cwd=tmp_path, stdin=True)
    await child.wait()
    assert await child.write(b"x" * 200_000) is False
    child.close()


async def test_run_keeps_no_more_than_asked(tmp_path: Path) -> None:
    done = await run("yes", cwd=tmp_path, max_bytes=10_000)
    assert done.truncated
    assert len(done.output) == 10_000
    exact = await run("head -c 10000 /dev/zero", cwd=tmp_path, max_bytes=10_000)
    assert not exact.truncated
    assert len(exact.output) == 10_000


async def test_run_ends_with_its_program_though_others_hold_the_pipe(tmp_path: Path, marker: str) -> None:
    done = await run(f"echo first; (exec -a {marker} sleep 600) & echo last", cwd=tmp_path)
    assert done.output == b"first\nlast\n"
    assert not done.timed_out
    assert not living_with(marker)


async def test_run_ends_at_its_time(tmp_path: Path, marker: str) -> None:
    done = await run(f"echo early; trap '' TERM; exec -a {marker} sleep 600", cwd=tmp_path, timeout_s=0.3)
    assert done.timed_out
    assert done.output == b"early\n"
    assert not living_with(marker)


async def test_a_flood_leaves_the_loop_its_turns(tmp_path: Path) -> None:
    child = await spawn("yes", cwd=tmp_path)
    turns = 0

    async def others() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    async with asyncio.TaskGroup() as group:
        beside = group.create_task(others())
        for _ in range(200):
            assert await child.read()
        beside.cancel()
    await child.kill_tree()
    child.close()
    assert turns >= 100


@pytest.mark.parametrize(("text", "code"), [("exit 7", 7), ("kill -9 $$", -9), ("kill -SEGV $$", -11)])
async def test_the_end_is_told_as_it_was(text: str, code: int, tmp_path: Path) -> None:
    assert (await run(text, cwd=tmp_path)).code == code


# --- nobody is left -------------------------------------------------------------------------------------------------

ESCAPES = {
    "plain": "exec -a {m} sleep 600",
    "ignores SIGTERM": "trap '' TERM; exec -a {m} sleep 600",
    "ignores SIGTERM, and so do its children": "trap '' TERM; (exec -a {m} sleep 600) & wait",
    "background children": "for i in 1 2 3; do (exec -a {m} sleep 600) & done; wait",
    "own session": "setsid bash -c 'exec -a {m} sleep 600' & wait",
    "daemon": "setsid bash -c '(exec -a {m} sleep 600) & exit' & sleep 600",
    "daemon without environment": "env -i setsid /bin/bash -c '(exec -a {m} /bin/sleep 600) & exit' ; exec -a {m} sleep 600",
    "daemon that ignores SIGTERM": (
        "setsid bash -c 'trap \"\" TERM HUP; (exec -a {m} sleep 600 >/dev/null 2>&1) & exit'; sleep 600"
    ),
    "stopped": (
        "(exec -a {m} sleep 600) & until grep -q sleep /proc/$!/comm; do :; done; kill -STOP $!; kill -STOP $$"
    ),
    "starts another on SIGTERM": (
        "trap '(exec -a {m} setsid sleep 600) &' TERM; (exec -a {m} sleep 600) & while :; do sleep 0.05; done"
    ),
}


@pytest.mark.parametrize("way", list(ESCAPES))
async def test_a_killed_tree_leaves_nobody(way: str, tmp_path: Path, marker: str) -> None:
    child = await spawn(ESCAPES[way].format(m=marker), cwd=tmp_path)
    await until(lambda: any("sleep" in _name(pid) for pid in living_with(marker)))
    await child.kill_tree(grace_s=0.3)
    child.close()
    assert not living_with(marker)
    assert not living_with(child.id)


def _name(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text()
    except OSError:
        return ""


async def test_cancelling_the_kill_kills_at_once(tmp_path: Path, marker: str) -> None:
    child = await spawn(f"trap '' TERM; (exec -a {marker} sleep 600) & wait", cwd=tmp_path)
    await until(lambda: living_with(marker))
    async with asyncio.TaskGroup() as group:
        killing = group.create_task(child.kill_tree(grace_s=60))
        await asyncio.sleep(0)
        killing.cancel()
    await child.wait()
    await until(lambda: not living_with(marker))
    child.close()


async def test_a_family_that_outlives_its_shell_is_known(tmp_path: Path, marker: str) -> None:
    child = await spawn(f"setsid bash -c '(exec -a {marker} sleep 600 >/dev/null 2>&1) & exit'", cwd=tmp_path)
    await child.wait()
    await until(lambda: [proc.pid for proc in child.leftovers()] == living_with(marker) != [])
    await child.kill_tree()
    assert child.leftovers() == []
    child.close()


async def test_other_peoples_children_are_left_alone(tmp_path: Path) -> None:
    other = subprocess.Popen(["sleep", "600"], start_new_session=True, env={})
    try:
        child = await spawn("sleep 600", cwd=tmp_path)
        await child.kill_tree()
        child.close()
        assert other.poll() is None
        other.kill()
        await run("true", cwd=tmp_path)
        assert other.wait() == -signal.SIGKILL
    finally:
        other.kill()
        other.wait()


async def test_dead_orphans_do_not_stay_as_zombies(tmp_path: Path) -> None:
    child = await spawn("mkfifo pipe; setsid -w bash -c '(read x < pipe) & echo $!'; : > pipe", cwd=tmp_path)
    orphan = int(await text_of(child))
    await child.wait()
    child.close()
    state = Path(f"/proc/{orphan}/stat")
    await until(lambda: not state.exists() or ") Z " in state.read_text())
    done = await spawn("true", cwd=tmp_path)
    await done.wait()
    done.close()
    await until(lambda: not state.exists())


# --- every way out of the process -----------------------------------------------------------------------------------

STARTS_CHILDREN = """
import asyncio, os, signal, sys
from pathlib import Path
from kram.base.spawn import spawn, record_children

async def main():
    if len(sys.argv) > 3:
        record_children(Path(sys.argv[3]))
    marker, way = sys.argv[1:3]
    for text in (
        f"trap '' TERM; (exec -a {marker} sleep 600) & wait",
        f"setsid bash -c 'trap \\"\\" TERM HUP; (exec -a {marker} sleep 600) & exit'",
        f"env -i setsid /bin/bash -c '(exec -a {marker} /bin/sleep 600) & exit'",
        f"exec -a {marker} sleep 600",
    ):
        await spawn(text, cwd=Path("/"))
    while sum(marker.encode() in Path(f"/proc/{pid}/cmdline").read_bytes()
              and Path(f"/proc/{pid}/comm").read_text() == "sleep\\n" for pid in pids()) < 4:
        await asyncio.sleep(0.02)
    print("ready", flush=True)
    match way:
        case "return": return
        case "raise": raise RuntimeError("on purpose")
        case "exit": sys.exit(3)
        case _: await asyncio.sleep(600)

def pids():
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                Path(f"/proc/{name}/cmdline").read_bytes()
                Path(f"/proc/{name}/comm").read_text()
            except OSError:
                continue
            yield name

asyncio.run(main())
"""


def start_program(marker: str, way: str, *more: str) -> subprocess.Popen[bytes]:
    code = textwrap.dedent(STARTS_CHILDREN)
    program = subprocess.Popen(
        [sys.executable, "-c", code, marker, way, *more], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert program.stdout is not None
    # It says so once all four run; it may be at its own end by the time anyone looks.
    assert program.stdout.readline() == b"ready\n"
    return program


@pytest.mark.parametrize(("way", "code"), [("return", 0), ("raise", 1), ("exit", 3)])
def test_no_child_survives_the_end_of_the_program(way: str, code: int, marker: str) -> None:
    program = start_program(marker, way)
    assert program.wait(10) == code
    assert not living_with(marker)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT])
def test_no_child_survives_a_signal_to_the_program(number: signal.Signals, marker: str) -> None:
    program = start_program(marker, "stay")
    program.send_signal(number)
    assert program.wait(10) in (-number, 130, 1)
    assert not living_with(marker)


def test_the_next_start_ends_what_a_killed_program_left(tmp_path: Path, marker: str) -> None:
    program = start_program(marker, "stay", str(tmp_path))
    assert reap_leftovers(tmp_path) == 0, "its owner still runs"
    assert len(living_with(marker)) >= 5
    program.kill()
    program.wait()
    # Children with an emptied environment that also left their session can't be told from strangers any more.
    assert reap_leftovers(tmp_path) >= 3
    assert all(b"KRAM_CHILD" not in Path(f"/proc/{pid}/environ").read_bytes() for pid in living_with(marker))
    assert list((tmp_path / "children").iterdir()) == []
    for pid in living_with(marker):
        os.kill(pid, signal.SIGKILL)


def test_a_recycled_id_is_not_a_leftover(tmp_path: Path) -> None:
    stranger = subprocess.Popen(["sleep", "600"])
    try:
        until_now(lambda: Path(f"/proc/{stranger.pid}/comm").read_text() == "sleep\n")
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        space = Path("/proc/self/ns/pid").readlink()
        folder = tmp_path / "children"
        folder.mkdir()
        record = folder / f"{stranger.pid}-1.txt"
        record.write_text(f"kram-children 1 {boot} {space} feedbeef\n{stranger.pid} 1 feedbeef.1\n")
        assert reap_leftovers(tmp_path) == 0
        assert stranger.poll() is None
        assert not record.exists()
    finally:
        stranger.kill()
        stranger.wait()


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00", b"kram-children 9 x y z\n", b"kram-children 1\n1 2 3\n"])
def test_a_broken_record_harms_nothing(content: bytes, tmp_path: Path) -> None:
    folder = tmp_path / "children"
    folder.mkdir()
    (folder / "12-34.txt").write_bytes(content)
    (folder / "odd.txt").write_bytes(content)
    assert reap_leftovers(tmp_path) == 0


def test_the_shell_is_an_absolute_path() -> None:
    assert shell_argv("x")[0].startswith("/")
