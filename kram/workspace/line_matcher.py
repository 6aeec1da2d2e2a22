"""A program of its own: prints the lines that match a regular expression, one JSON object a line.

A pattern comes from a model and may take for ever; so it never runs in kram's own process, only here, where it can be
stopped. Started by path, imports nothing of kram.

    line_matcher.py PATTERN IGNORE_CASE LIMIT [FILE]     without FILE it follows standard input, unfinished lines included
"""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path
from typing import IO

MAX_LINE = 20_000
SHOWN = 300


def say(number: int, offset: int, line: str, match: re.Match[str]) -> None:
    start = max(match.start() - SHOWN // 3, 0) if match.end() > SHOWN else 0
    row = {"line": number, "offset": offset, "text": line[start : start + SHOWN]}
    sys.stdout.write(json.dumps(row) + "\n")
    sys.stdout.flush()


def search(file: IO[bytes], pattern: re.Pattern[str], limit: int) -> None:
    """Lines are numbered from 1; a line beyond `MAX_LINE` bytes is searched in pieces."""
    number, offset, found = 1, 0, 0
    while found < limit and (raw := file.readline(MAX_LINE)):
        line = raw.decode("utf-8", "replace").rstrip("\r\n")
        if match := pattern.search(line):
            say(number, offset, line, match)
            found += 1
        offset += len(raw)
        number += raw.endswith(b"\n")


def follow(descriptor: int, pattern: re.Pattern[str]) -> None:
    """Ends with the first match; the unfinished last line is tried whenever more of it comes."""
    pending, number, offset = b"", 1, 0
    while chunk := os.read(descriptor, 65_536):
        *lines, pending = (pending + chunk).split(b"\n")
        for raw in [*lines, pending]:
            line = raw[-MAX_LINE:].decode("utf-8", "replace").rstrip("\r")
            if match := pattern.search(line):
                say(number, offset, line, match)
                return
            offset += len(raw) + 1
            number += 1
        offset -= len(pending) + 1
        number -= 1
        pending = pending[-MAX_LINE:]


def main(pattern: str, ignore_case: str, limit: str, path: str = "") -> None:
    compiled = re.compile(pattern, re.IGNORECASE if ignore_case == "1" else 0)
    if path:
        with Path(path).open("rb") as file:
            search(file, compiled, int(limit))
    else:
        follow(0, compiled)


if __name__ == "__main__":
    main(*sys.argv[1:])
