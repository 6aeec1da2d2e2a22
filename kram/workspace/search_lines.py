"""Regular expressions from a model, tried outside this process: over a file, or over output as it comes.

BadPattern    the pattern is none, or takes too long
"""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path

import msgspec

from kram.base import Data, KramError
from kram.base.spawn import Child, run, spawn

SEARCH_TIMEOUT_S = 20.0
_PROGRAM = Path(__file__).with_name("line_matcher.py")


class BadPattern(KramError):
    """The pattern is no regular expression, or takes too long on this text."""


class FoundLine(Data):
    """A matching line: its number from 1, the byte offset it begins at, and what fits of its text."""

    line: int
    offset: int
    text: str


async def search_file(path: Path, pattern: str, *, ignore_case: bool = False, limit: int = 50) -> list[FoundLine]:
    """At most `limit` lines of a file that match. Raises `BadPattern`."""
    check_pattern(pattern)
    argv = [*_argv(pattern, ignore_case, limit), str(path)]
    done = await run(argv, cwd=Path("/"), errors="drop", timeout_s=SEARCH_TIMEOUT_S)
    if done.timed_out:
        raise BadPattern(f"The pattern took more than {SEARCH_TIMEOUT_S:.0f} s", todo="Use a simpler one")
    return [msgspec.json.decode(line, type=FoundLine) for line in done.output.splitlines()]


async def search_bytes(data: bytes, pattern: str, *, ignore_case: bool = False, limit: int = 50) -> list[FoundLine]:
    """The same over bytes in memory. Raises `BadPattern`."""
    with tempfile.NamedTemporaryFile(prefix="kram-search-") as scratch:
        scratch.write(data)
        scratch.flush()
        return await search_file(Path(scratch.name), pattern, ignore_case=ignore_case, limit=limit)


async def start_follower(pattern: str, *, ignore_case: bool = False) -> Child:
    """A program that reads what is written to it and says the first line that matches, then ends. Raises `BadPattern`."""
    check_pattern(pattern)
    return await spawn(_argv(pattern, ignore_case, 1), cwd=Path("/"), stdin=True, errors="drop")


def read_found(said: bytes) -> FoundLine | None:
    """What a follower said, None when it ended without a match."""
    line = said.partition(b"\n")[0]
    return msgspec.json.decode(line, type=FoundLine) if line else None


def check_pattern(pattern: str) -> None:
    """Raises `BadPattern` for what is no regular expression."""
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as failure:
        raise BadPattern(
            f"The pattern is no regular expression: {failure}", todo="Escape special characters"
        ) from failure
    if "\0" in pattern:
        raise BadPattern("The pattern holds a NUL character", todo="Write \\x00")


def _argv(pattern: str, ignore_case: bool, limit: int) -> list[str]:
    # Isolated and without site-packages: nothing of the workspace can put itself into this program.
    return [sys.executable, "-I", "-S", str(_PROGRAM), pattern, "1" if ignore_case else "0", str(limit)]
