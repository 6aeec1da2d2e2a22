"""Searching files: ripgrep where it is on the PATH, else our own walk; the same lines either way. Bounded in every direction."""

from __future__ import annotations

import asyncio
import re
import shutil
from pathlib import Path

from kram.base import Data, one_line
from kram.base.spawn import run

from .globs import matches
from .ignore import walk

MAX_MATCHES = 200
MAX_LINE_CHARS = 400
MAX_FILE_BYTES = 2_000_000
TIMEOUT_S = 30.0
MAX_OUTPUT_BYTES = 2_000_000
RG_ERROR = 2
_MATCH_ROW = re.compile(r".*?:\d+:")


class SearchFailed(Exception):
    """The pattern or the search itself is wrong; the text is for the model."""


class Found(Data):
    """Lines `path:line:text` (context lines `path-line-text`), and whether more was there than is shown."""

    lines: tuple[str, ...]
    matches: int
    truncated: bool = False


class Query(Data):
    """`context` lines around a match; `files_only` lists paths; `pattern` is a regular expression."""

    pattern: str
    glob: str = ""
    ignore_case: bool = False
    context: int = 0
    files_only: bool = False
    fixed: bool = False


async def grep(root: Path, start: Path, query: Query, *, max_matches: int = MAX_MATCHES) -> Found:
    """Searches below `start` (a file or folder). Paths are relative to `root`. Raises `SearchFailed`."""
    try:
        re.compile(re.escape(query.pattern) if query.fixed else query.pattern)
    except re.error as failure:
        raise SearchFailed(f"The pattern is no regular expression: {failure}. Escape special characters.") from failure
    if program := shutil.which("rg"):
        return await _ripgrep(program, root, start, query, max_matches)
    return await asyncio.to_thread(_own, root, start, query, max_matches)


async def _ripgrep(program: str, root: Path, start: Path, query: Query, max_matches: int) -> Found:
    argv = [program, "--no-config", "--no-heading", "--line-number", "--with-filename", "--color=never", "--sort=path"]
    argv += ["--no-messages", f"--max-filesize={MAX_FILE_BYTES}", "--hidden", "--glob=!.git", "--no-require-git"]
    argv += [f"--max-columns={MAX_LINE_CHARS}", "--max-columns-preview"]
    argv += ["--ignore-case"] if query.ignore_case else []
    argv += ["--fixed-strings"] if query.fixed else []
    argv += [f"--glob={query.glob}"] if query.glob else []
    argv += ["--files-with-matches"] if query.files_only else [f"--context={query.context}"]
    if (ignore := root / ".kramignore").exists():
        argv.append(f"--ignore-file={ignore}")
    # The pattern and the path are never read as options.
    argv += ["-e", query.pattern, "--", str(start)]
    done = await run(argv, cwd=root, errors="pipe", timeout_s=TIMEOUT_S, max_bytes=MAX_OUTPUT_BYTES)
    if done.timed_out:
        raise SearchFailed(f"The search took more than {TIMEOUT_S:.0f} s. Search in a smaller folder.")
    if done.code == RG_ERROR and not done.output:
        raise SearchFailed(f"The search failed: {one_line(done.errors.decode('utf-8', 'replace'), MAX_LINE_CHARS)}")
    rows: list[str] = []
    count = 0
    for line in done.output.decode("utf-8", "replace").split("\n")[:-1]:
        row = _relative(line, root)
        count += query.files_only or bool(_MATCH_ROW.match(row))
        if count > max_matches:
            return Found(lines=tuple(rows), matches=max_matches, truncated=True)
        rows.append(row)
    return Found(lines=tuple(rows), matches=count, truncated=done.truncated)


def _relative(row: str, root: Path) -> str:
    return one_line(row.removeprefix(f"{root}/"), MAX_LINE_CHARS + 200)


def _own(root: Path, start: Path, query: Query, max_matches: int) -> Found:
    pattern = re.compile(
        re.escape(query.pattern) if query.fixed else query.pattern, re.IGNORECASE if query.ignore_case else 0
    )
    rows: list[str] = []
    count = 0
    files = (
        [(str(start.relative_to(root)), start)]
        if start.is_file()
        else [(r, Path(e.path)) for r, e in walk(root, start)]
    )
    for relative, path in files:
        if query.glob and not matches(relative, query.glob):
            continue
        for row, is_match in _in_file(path, relative, pattern, query):
            count += is_match
            if count > max_matches:
                return Found(lines=tuple(rows), matches=max_matches, truncated=True)
            rows.append(row)
            if query.files_only:
                break
    return Found(lines=tuple(rows), matches=count)


def _in_file(path: Path, relative: str, pattern: re.Pattern[str], query: Query) -> list[tuple[str, bool]]:
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            return []
        data = path.read_bytes()
    except OSError:
        return []
    if b"\0" in data[:8192]:
        return []
    lines = data.decode("utf-8", "replace").splitlines()
    hits = [number for number, line in enumerate(lines) if pattern.search(line)]
    if query.files_only:
        return [(relative, True)] if hits else []
    shown = sorted(
        {n for hit in hits for n in range(max(0, hit - query.context), min(len(lines), hit + query.context + 1))}
    )
    wanted = set(hits)
    rows = []
    for number in shown:
        mark = ":" if number in wanted else "-"
        rows.append(
            (one_line(f"{relative}{mark}{number + 1}{mark}{lines[number]}", MAX_LINE_CHARS + 200), number in wanted)
        )
    return rows


def find_files(root: Path, start: Path, pattern: str, *, limit: int) -> tuple[list[str], bool]:
    """Files whose path below `start` fits a glob, relative to `root`, sorted; and whether there were more. Blocks."""
    prefix = "" if start == root else f"{start.relative_to(root).as_posix()}/"
    found: list[str] = []
    for relative, _ in walk(root, start):
        if matches(relative.removeprefix(prefix), pattern):
            if len(found) == limit:
                return sorted(found), True
            found.append(relative)
    return sorted(found), False
