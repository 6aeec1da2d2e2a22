"""Programs that kram uses where they are there: ripgrep, git, an editor, bubblewrap."""

from __future__ import annotations

import asyncio
import shutil
import sys
from collections.abc import Mapping, Sequence
from functools import partial

from .finding import Finding, finding
from .scene import Scene

LIMIT_S = 5.0
PYTHON = (3, 11)

_say = partial(finding, "programs")


async def check_programs(scene: Scene) -> list[Finding]:
    path = scene.env.get("PATH")
    rows = await asyncio.gather(
        _program("rg", ("--version",), path, "searching is done by kram itself, which is slower", "Install ripgrep"),
        _program("git", ("--version",), path, "no branch, no diff of your work", "Install git"),
        _sandbox(path),
    )
    return [_python(), *rows, _editor(scene.env)]


def _python() -> Finding:
    version = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info < PYTHON:
        return _say("python", "problem", f"{version} is too old", f"Use {'.'.join(map(str, PYTHON))} or newer")
    return _say("python", "ok", version)


async def _program(name: str, version: Sequence[str], path: str | None, without: str, todo: str) -> Finding:
    found = shutil.which(name, path=path)
    if found is None:
        return _say(name, "warning", f"not found: {without}", todo)
    code, output = await _run([found, *version])
    if code != 0:
        return _say(name, "problem", f"{found} does not run ({output or code})", f"Mend or remove {found}")
    return _say(name, "ok", f"{output} ({found})")


async def _sandbox(path: str | None) -> Finding:
    """Whether bubblewrap is there and may make namespaces here, which many containers forbid."""
    found = shutil.which("bwrap", path=path)
    if found is None:
        return _say("sandbox", "skipped", "bubblewrap is not installed; commands run under the permission rules alone")
    code, output = await _run([found, "--ro-bind", "/", "/", "--unshare-pid", "--die-with-parent", "true"])
    if code != 0:
        return _say("sandbox", "warning", f"bubblewrap may not make namespaces here: {output}", "Allow user namespaces")
    return _say("sandbox", "ok", "bubblewrap works")


def _editor(env: Mapping[str, str]) -> Finding:
    wanted = env.get("VISUAL") or env.get("EDITOR") or ""
    if not wanted:
        return _say("editor", "skipped", "neither $VISUAL nor $EDITOR is set")
    if shutil.which(wanted.split()[0], path=env.get("PATH")) is None:
        return _say("editor", "warning", f"{wanted} is not found", "Set $EDITOR to a program that is there")
    return _say("editor", "ok", wanted)


async def _run(argv: Sequence[str]) -> tuple[int, str]:
    """Exit code and the first line of what it said."""
    try:
        process = await asyncio.create_subprocess_exec(
            *argv, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
        )
    except OSError as failure:
        return 127, failure.strerror or str(failure)
    try:
        async with asyncio.timeout(LIMIT_S):
            output, _ = await process.communicate()
    except TimeoutError:
        process.kill()
        await process.wait()
        return 124, f"no answer within {LIMIT_S:.0f} s"
    lines = output.decode("utf-8", "replace").strip().splitlines()
    return process.returncode or 0, lines[0][:200] if lines else ""
