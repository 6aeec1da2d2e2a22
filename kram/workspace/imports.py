"""`@path` in instruction files: the convention of several coding agents, read narrowly.

An import is an `@` at the beginning of a line or after white space, outside of code, with the path of a document. Packages
(`@scope/name`), people (`@user`), decorators and addresses are none: real instruction files are full of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

DOCUMENTS = (".md", ".mdx", ".mdc", ".markdown", ".txt", ".rst", ".adoc")
"""Only documents can be imported: a project's file may not put the person's keys or data into a prompt."""

_FENCE = re.compile(r" {0,3}(?P<mark>`{3,}|~{3,})")
_CODE_SPAN = re.compile(r"(?P<ticks>`+)(?!`).*?(?<!`)(?P=ticks)(?!`)")
_IMPORT = re.compile(r"(?:^|(?<=\s))@(?P<path>(?:\\ |[^\s`'\"<>()\[\]{}|*?!,;:@])+)")


def imported_paths(text: str) -> list[str]:
    """The paths in order, each once, as they are written (with `\\ ` for a space taken apart)."""
    found: dict[str, None] = {}
    for line in _prose(text):
        for match in _IMPORT.finditer(_CODE_SPAN.sub(" ` ", line)):
            path = match["path"].replace("\\ ", " ").rstrip(".")
            if path.lower().endswith(DOCUMENTS):
                found[path] = None
    return list(found)


def _prose(text: str) -> Iterator[str]:
    """Lines outside of fenced code. A fence that is never closed reaches to the end, as Markdown has it."""
    fence = ""
    for line in text.splitlines():
        mark = _FENCE.match(line)
        if fence:
            if mark and mark["mark"].startswith(fence) and not line.strip().strip(fence[0]):
                fence = ""
        elif mark:
            fence = mark["mark"]
        else:
            yield line
