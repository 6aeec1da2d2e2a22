"""What the prompt offers: commands after `/`, files after `@`. Files are listed once in a thread and matched fuzzily."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence

from .widgets.completions import Completion

MAX_OFFERED = 30
MAX_FILES = 100_000
MIN_SCORE = 40
_MENTION = re.compile(r"(?:^|\s)@([^\s@]*)$")


def command_completions(before: str, commands: Sequence[tuple[str, str, str]]) -> list[Completion]:
    """For `/…` at the very start of the prompt."""
    if not re.fullmatch(r"/[\w-]*", before):
        return []
    typed = before[1:]
    starting = [one for one in commands if one[0].startswith(typed)]
    others = [one for one in commands if typed and typed in one[0] and one not in starting]
    return [
        Completion(
            insert=f"/{name} " if usage and not usage.startswith("[") else f"/{name}",
            text=f"/{name} {usage}".rstrip(),
            note=summary,
        )
        for name, usage, summary in [*starting, *others]
    ]


def mention(before: str) -> str | None:
    """What is typed after an `@`, None where no file is being named."""
    found = _MENTION.search(before)
    return found[1] if found else None


def match_files(typed: str, files: Sequence[str]) -> list[Completion]:
    """The files most like what was typed; blocks for as long as the list is."""
    if not typed:
        best = sorted(files[:MAX_FILES], key=lambda path: (path.count("/"), path))[:MAX_OFFERED]
    else:
        lowered = typed.lower()
        inside = [path for path in files if lowered in path.lower()]
        if len(inside) >= MAX_OFFERED:
            best = sorted(inside, key=lambda path: (not path.rpartition("/")[2].lower().startswith(lowered), len(path)))
        else:
            from rapidfuzz import fuzz, process, utils

            found = process.extract(
                typed,
                files,
                scorer=fuzz.partial_ratio,
                processor=utils.default_process,
                limit=MAX_OFFERED,
                score_cutoff=MIN_SCORE,
            )
            best = [*sorted(inside, key=len), *(path for path, _, _ in found if path not in inside)]
    return [Completion(insert=f"@{path} ", text=path) for path in best[:MAX_OFFERED]]


async def file_completions(typed: str, files: Sequence[str]) -> list[Completion]:
    """Matched in a thread, so that typing never waits for it."""
    return await asyncio.to_thread(match_files, typed, files)
