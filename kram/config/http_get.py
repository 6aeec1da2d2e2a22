"""The smallest HTTP client there is: one JSON answer over a plain socket, within fixed limits, or nothing.

For looking around at start-up, where an HTTP library would cost more time than the look itself. No redirects, no proxies, no
cookies; the answer is read up to a limit and has to be JSON.
"""

from __future__ import annotations

import asyncio
import json
import ssl
from typing import Any
from urllib.parse import urlsplit

from kram.base import Data

CONNECT_S = 0.3
ANSWER_S = 1.0
MAX_BYTES = 2_000_000


class Site(Data):
    """A server; `path` is what its API's paths begin with, without a slash at the end."""

    host: str
    port: int
    path: str = ""
    secure: bool = False

    @property
    def url(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        usual = self.port == (443 if self.secure else 80)
        return f"{'https' if self.secure else 'http'}://{host}{'' if usual else f':{self.port}'}{self.path}"


def site(url: str) -> Site | None:
    """None for what is no HTTP address."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return None
    secure = parts.scheme == "https"
    return Site(host=parts.hostname, port=port or (443 if secure else 80), path=parts.path.rstrip("/"), secure=secure)


async def ask(place: Site, path: str, *, body: Any = None, key: str = "") -> Any:
    """The JSON at an absolute path; with a body it is posted. None for anything that went otherwise."""
    try:
        async with asyncio.timeout(CONNECT_S if not place.secure else ANSWER_S):
            reader, writer = await asyncio.open_connection(
                place.host, place.port, ssl=ssl.create_default_context() if place.secure else None
            )
    except (OSError, TimeoutError, ValueError):
        return None
    try:
        async with asyncio.timeout(ANSWER_S):
            writer.write(_request(place, path, body, key))
            await writer.drain()
            return _answer(await _all(reader))
    except (OSError, TimeoutError, ValueError, RecursionError):
        return None
    finally:
        writer.close()


def _request(place: Site, path: str, body: Any, key: str) -> bytes:
    content = b"" if body is None else json.dumps(body).encode()
    lines = [
        f"{'GET' if body is None else 'POST'} {path} HTTP/1.1",
        f"Host: {place.host}:{place.port}",
        "Accept: application/json",
        "Connection: close",
        f"Content-Length: {len(content)}",
        *(["Content-Type: application/json"] if content else []),
        *([f"Authorization: Bearer {key}"] if key else []),
    ]
    if any(not line.isprintable() for line in lines):
        raise ValueError("a line break in an address or a key")
    return "\r\n".join([*lines, "", ""]).encode() + content


async def _all(reader: asyncio.StreamReader) -> bytes:
    """Up to the limit, or as far as the answer says it goes: some servers keep the line open whatever they are asked."""
    raw = bytearray()
    while len(raw) < MAX_BYTES and not _complete(bytes(raw)):
        piece = await reader.read(65_536)
        if not piece:
            break
        raw += piece
    return bytes(raw)


def _complete(raw: bytes) -> bool:
    head, blank, body = raw.partition(b"\r\n\r\n")
    if not blank:
        return False
    fields = _fields(head)
    if "chunked" in fields.get("transfer-encoding", ""):
        return body.endswith(b"0\r\n\r\n")
    length = fields.get("content-length", "")
    return length.isdecimal() and len(body) >= int(length)


def _answer(raw: bytes) -> Any:
    head, _, body = raw.partition(b"\r\n\r\n")
    status = head.split(b"\r\n", 1)[0].split()
    if len(status) < 2 or status[1] != b"200":
        return None
    if "chunked" in _fields(head).get("transfer-encoding", ""):
        body = _joined(body)
    return json.loads(body)


def _fields(head: bytes) -> dict[str, str]:
    lines = head.decode("latin-1").split("\r\n")[1:]
    return {name.strip().lower(): value.strip().lower() for name, _, value in (line.partition(":") for line in lines)}


def _joined(body: bytes) -> bytes:
    """Chunks without their sizes."""
    found = bytearray()
    while body:
        size, _, body = body.partition(b"\r\n")
        length = int(size.split(b";")[0], 16)
        if length == 0:
            break
        found += body[:length]
        body = body[length + 2 :]
    return bytes(found)
