"""Text files as they are on disk: encoding, byte order mark and line ends are noticed on reading and kept on writing."""

from __future__ import annotations

import codecs
from typing import Literal, TypeAlias

from kram.base import Data, content_hash

Newline: TypeAlias = Literal["\n", "\r\n", "\r", "mixed"]
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
SNIFF_BYTES = 8192


class NotText(ValueError):
    """The bytes are no text in an encoding kram can keep."""


class TextFile(Data):
    """`text` has the file's own line ends; `hash` is of the bytes it was read from."""

    text: str
    encoding: str = "utf-8"
    bom: bytes = b""
    newline: Newline = "\n"
    hash: str = ""


def decode(data: bytes) -> TextFile:
    """Raises `NotText` for binary data. Bytes that are not UTF-8 are read as Latin-1, which any bytes survive."""
    bom, encoding = next(((bom, name) for bom, name in _BOMS if data.startswith(bom)), (b"", "utf-8"))
    if not bom and b"\0" in data[:SNIFF_BYTES]:
        raise NotText("it holds NUL bytes")
    try:
        text = data[len(bom) :].decode(encoding)
    except UnicodeDecodeError as failure:
        if bom:
            raise NotText(f"it is not valid {encoding}") from failure
        encoding, text = "latin-1", data.decode("latin-1")
    return TextFile(text=text, encoding=encoding, bom=bom, newline=newline_of(text), hash=content_hash(data))


def encode(text: str, like: TextFile | None) -> bytes:
    """The bytes of a text in a file's manner. Raises `NotText` where its encoding cannot say it."""
    if like is None:
        return text.encode("utf-8", "surrogatepass")
    try:
        return like.bom + text.encode(like.encoding)
    except UnicodeEncodeError as failure:
        bad = text[failure.start : failure.start + 1]
        raise NotText(f"the file's encoding, {like.encoding}, has no {bad!r}") from failure


def newline_of(text: str) -> Newline:
    """The one kind of line end a text has; "\\n" for a text without any."""
    crlf = text.count("\r\n")
    kinds: list[Newline] = []
    if crlf:
        kinds.append("\r\n")
    if text.count("\n") > crlf:
        kinds.append("\n")
    if text.count("\r") > crlf:
        kinds.append("\r")
    if len(kinds) > 1:
        return "mixed"
    return kinds[0] if kinds else "\n"


def with_newline(text: str, newline: Newline) -> str:
    """A text whose line ends are all of one kind; unchanged for a mixed file."""
    if newline == "mixed":
        return text
    plain = text.replace("\r\n", "\n").replace("\r", "\n")
    return plain if newline == "\n" else plain.replace("\n", newline)
