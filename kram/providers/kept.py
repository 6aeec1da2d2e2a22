"""Sending over connections that are kept open: a server may close one at the very moment a request is on its way.

That request is sent again on another connection. It is safe, since it happens only where the connection had served a
request before and ended before the head of an answer, which is how a server declines a request (RFC 9112, 9.3.1); and even
where the server did read it, a model call changes nothing in the world but its bill. A new connection that fails is an
attempt that failed, for the gateway to judge.
"""

from __future__ import annotations

import logging
from typing import Any

log = logging.getLogger(__name__)


async def send(client: Any, request: Any, kept: int) -> Any:
    """The response of an httpx client, whose pool keeps at most `kept` connections open. Raises what httpx raises."""
    import httpx

    for _ in range(kept):
        course = _Course()
        request.extensions = {**request.extensions, "trace": course.note}
        try:
            return await client.send(request, stream=True)
        except (httpx.RemoteProtocolError, httpx.ReadError) as error:
            if course.fresh or not _ended(error):
                raise
            log.info("a connection that was kept open had ended; the request is sent on another one")
    return await client.send(request, stream=True)


def _ended(error: Exception) -> bool:
    """Whether the other side hung up, and did not answer with something that is no HTTP."""
    return "disconnected" in str(error) or type(error).__name__ == "ReadError"


class _Course:
    """Whether a connection was made for a request, as the library traces it: over TCP, through a proxy, with TLS."""

    def __init__(self) -> None:
        self.fresh = False

    async def note(self, name: str, _: Any) -> None:
        self.fresh = self.fresh or "connect" in name.rpartition(".")[0].partition(".")[2] or "start_tls" in name
