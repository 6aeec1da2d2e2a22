"""The small server a browser comes back to: loopback only, a free port, one path that holds the login's state.

Only `GET /callback/STATE` with a host of this machine counts. Everything else is refused and changes nothing, so that a page
that guesses the port can neither end a login nor slip in a code.
"""

from __future__ import annotations

import asyncio
import hmac
from types import TracebackType
from urllib.parse import parse_qs, urlsplit

from kram.base import Data, visible

MAX_HEAD_BYTES = 16_384
READ_S = 5.0
_HOSTS = ("localhost", "127.0.0.1")
_PAGE = """<!doctype html><meta charset="utf-8"><title>kram</title>
<body style="font-family:sans-serif;background:#0d0f14;color:#d6dae3;display:grid;place-items:center;height:90vh">
<div><h1>{head}</h1><p>{text}</p></div>"""
_REASONS = {200: "OK", 400: "Bad Request", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed"}


class Returned(Data):
    """What the browser brought: a code, or the vendor's reason for none."""

    code: str = ""
    denied: str = ""


class Callback:
    """Listens while its context is open. `returned` waits for the one callback that counts."""

    def __init__(self, state: str) -> None:
        self._state = state
        self._found: asyncio.Future[Returned] = asyncio.get_running_loop().create_future()
        self._server: asyncio.Server | None = None
        self._port = 0

    async def __aenter__(self) -> Callback:
        """Raises `OSError` where nothing may listen on this machine."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, limit=MAX_HEAD_BYTES)
        self._port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._server is not None:
            self._server.close()
        self._found.cancel()

    @property
    def url(self) -> str:
        """The state is part of the path: not every vendor hands back a parameter of its own."""
        return f"http://localhost:{self._port}/callback/{self._state}"

    async def returned(self) -> Returned:
        return await asyncio.shield(self._found)

    def take(self, address: str) -> bool:
        """An address a person pasted (the browser was on another machine); whether it belongs to this login."""
        parts = urlsplit(address.strip())
        status, _ = self._judge("GET", f"{parts.path}?{parts.query}", parts.netloc)
        return status == 200

    # --- one request ------------------------------------------------------------------------------------------------

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(READ_S):
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            line, *rows = head.split("\r\n")
            method, target, _ = line.split(" ", 2)
            names = {name.strip().lower(): value.strip() for name, _, value in (row.partition(":") for row in rows)}
            status, page = self._judge(method, target, names.get("host", ""))
            writer.write(_answer(status, page))
            await writer.drain()
        except (ConnectionError, TimeoutError, ValueError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            # Whatever that was, it was no browser that comes back.
            pass
        finally:
            writer.close()

    def _judge(self, method: str, target: str, host: str) -> tuple[int, str]:
        """The status and the page; the first request that fits settles the login."""
        parts = urlsplit(target)
        if method != "GET":
            return 405, _page("Not this way", "Only a browser's GET is taken here.")
        if host.rpartition(":")[0] not in _HOSTS or host.rpartition(":")[2] != str(self._port):
            return 403, _page("Refused", "This address is not the one the login was started with.")
        front, _, state = parts.path.rpartition("/")
        if front != "/callback":
            return 404, _page("Nothing here", "kram waits for a login on another path.")
        query = {name: values[-1] for name, values in parse_qs(parts.query).items()}
        if not all(
            hmac.compare_digest(one.encode(), self._state.encode()) for one in (state, query.get("state", state))
        ):
            return 403, _page("Refused", "This login was not started by this kram.")
        if error := query.get("error_description") or query.get("error"):
            self._settle(Returned(denied=visible(error[:200])))
            return 200, _page("No access was given", "You can close this page and go back to kram.")
        if not query.get("code"):
            return 400, _page("No code came back", "Start the login again in kram.")
        self._settle(Returned(code=query["code"]))
        return 200, _page("kram is connected", "You can close this page and go back to the terminal.")

    def _settle(self, returned: Returned) -> None:
        if not self._found.done():
            self._found.set_result(returned)


def _page(head: str, text: str) -> str:
    return _PAGE.format(head=head, text=text)


def _answer(status: int, page: str) -> bytes:
    body = page.encode()
    head = (
        f"HTTP/1.1 {status} {_REASONS[status]}\r\nContent-Type: text/html; charset=utf-8\r\n"
        f"Content-Length: {len(body)}\r\nReferrer-Policy: no-referrer\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n"
    )
    return head.encode() + body
