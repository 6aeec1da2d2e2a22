"""The HTTP door of all adapters, over httpx: JSON out, server-sent events or JSON in, every failure one of our errors.

Promises: nothing is retried (but see `kept`), redirects leave the origin never, keys are not echoed, sizes and waiting are
limited, and cancelling an iteration closes its connection. httpx is imported with the first request, in a thread, or by
`warm`.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from typing import Any
from urllib.parse import urljoin, urlsplit

import msgspec

from kram.base import Clock, Data, Json, SystemClock, UsageError
from kram.config import Provider

from .endpoint import check_header, endpoint, joined
from .error_body import describe
from .errors import InvalidRequest, ProviderError, from_status
from .kept import send
from .reading import Patience, WholeBody, json_object, server_events, text_of
from .retry_after import from_headers
from .sse import ServerEvent

_MAX_REDIRECTS = 3
_KEPT = 8
"""Connections that are kept open for the next request."""
_KEPT_S, _KEPT_NEARBY_S = 50.0, 2.0
"""For how long. Local servers (llama.cpp, uvicorn) close theirs after 5 s, and connecting to them anew costs nothing."""

__all__ = ["Limits", "Transport", "WholeBody", "encode"]


class Limits(Data):
    """Waiting in seconds, sizes in decoded bytes.

    - `first_byte_s`: until the first content. `nearby_s` instead for a server without a key on this machine or network (a
      CPU reads a long prompt for minutes), `silent_s` where the model was asked to reason, which some do in silence.
    - `idle_s`: without content after that; pings and comments are none; `silent_idle_s` where it reasons.
    - `whole_s`: for an answer that is not streamed. `lookup_s`: for lists and error bodies.
    """

    connect_s: float = 15.0
    first_byte_s: float = 60.0
    idle_s: float = 30.0
    silent_idle_s: float = 120.0
    nearby_s: float = 600.0
    silent_s: float = 300.0
    whole_s: float = 600.0
    lookup_s: float = 20.0
    max_body_bytes: int = 32 * 1024 * 1024
    max_stream_bytes: int = 256 * 1024 * 1024
    max_error_bytes: int = 64 * 1024


class Transport:
    """One account's connection pool. Safe for concurrent calls within one event loop; `aclose` ends it.

    Raises `UsageError` at once for a base URL, proxy or header that cannot be used. All requests raise `ProviderError`.
    `direct` ignores the proxies of the environment (for a server inside this process).
    """

    def __init__(
        self, config: Provider, *, limits: Limits | None = None, clock: Clock | None = None, direct: bool = False
    ) -> None:
        self.target = endpoint(config)
        self._limits = limits or Limits()
        self._clock = clock or SystemClock()
        self._direct = direct
        self._slow = self.target.nearby and not config.api_key
        self._lock = threading.Lock()
        self._client: Any = None

    async def warm(self) -> None:
        """Imports the library and builds the client ahead of the first request; sends nothing."""
        await asyncio.to_thread(self._built)

    async def aclose(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    async def stream_events(
        self, path: str, body: Json, headers: Mapping[str, str] | None = None, *, patient: bool = False
    ) -> AsyncGenerator[ServerEvent, None]:
        """POSTs and yields the events of the answer, or one `WholeBody`. `patient`: the model may be silent for long.

        Raises `TimedOut` for a stall, `Incomplete` where the connection breaks, `ServerFailed` for what is not the API.
        """
        limits = self._limits
        first_s, idle_s = limits.first_byte_s, limits.idle_s
        if patient:
            first_s, idle_s = limits.silent_s, limits.silent_idle_s
        patience = Patience(self.target.where, max(first_s, limits.nearby_s) if self._slow else first_s, idle_s)
        response = await self._send("POST", path, body, headers, patience, accept="text/event-stream")
        try:
            await self._refuse(response)
            received = server_events(response, patience, self.target, limits.max_stream_bytes, limits.max_body_bytes)
            async with aclosing(received):
                async for event in received:
                    yield event
        finally:
            await response.aclose()

    async def post_json(self, path: str, body: Json, headers: Mapping[str, str] | None = None) -> Json:
        """POSTs and returns the JSON object of the answer."""
        return await self._json("POST", path, body, headers, self._limits.whole_s)

    async def get_json(self, path: str, headers: Mapping[str, str] | None = None) -> Json:
        """GETs a JSON object; a bare list comes back as `{"data": […]}`."""
        return await self._json("GET", path, None, headers, self._limits.lookup_s)

    # --- sending ----------------------------------------------------------------------------------------------------

    def _built(self) -> Any:
        with self._lock:
            if self._client is None:
                self._client = self._build()
            return self._client

    def _build(self) -> Any:
        import httpx

        try:
            return httpx.AsyncClient(
                proxy=self.target.proxy or None,
                trust_env=not self._direct,
                timeout=httpx.Timeout(None, connect=self._limits.connect_s, write=self._limits.whole_s),
                limits=httpx.Limits(
                    max_connections=None,
                    max_keepalive_connections=_KEPT,
                    keepalive_expiry=_KEPT_NEARBY_S if self.target.nearby else _KEPT_S,
                ),
                follow_redirects=False,
            )
        except (ValueError, ImportError, OSError) as error:
            raise UsageError(
                "The proxy or certificate settings of the environment cannot be used",
                where=self.target.provider,
                todo="Check HTTP_PROXY, HTTPS_PROXY, ALL_PROXY, NO_PROXY and SSL_CERT_FILE",
            ) from error

    async def _send(
        self,
        method: str,
        path: str,
        body: Json | None,
        headers: Mapping[str, str] | None,
        patience: Patience,
        *,
        accept: str,
    ) -> Any:
        client = self._client or await asyncio.to_thread(self._built)
        import httpx

        from .http_errors import before_answer

        sent = self._headers(headers, accept, with_body=body is not None)
        url = self.target.url(path)
        content = None if body is None else encode(body)
        try:
            for _ in range(_MAX_REDIRECTS + 1):
                request = client.build_request(method, url, headers=sent, content=content)
                response = await patience.wait(send(client, request, _KEPT))
                if not response.is_redirect:
                    return response
                await response.aclose()
                url = self._redirected(response)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise before_answer(error, self.target) from error
        raise InvalidRequest("The server redirects in a circle", where=self.target.where, todo="Check base_url")

    def _headers(self, headers: Mapping[str, str] | None, accept: str, *, with_body: bool) -> dict[str, str]:
        """The person's own headers win. Compression is declined: it delays streams and hides how much comes."""
        own = {"User-Agent": "kram", "Accept": accept, "Accept-Encoding": "identity"}
        if with_body:
            own["Content-Type"] = "application/json"
        sent = joined(own, headers or {}, self.target.headers)
        for name, value in sent.items():
            check_header(self.target.provider, name, value)
        return sent

    def _redirected(self, response: Any) -> str:
        """Where a redirect leads, if it keeps method, origin and so the key where they belong."""
        before = str(response.request.url)
        after = urljoin(before, str(response.headers.get("location", "")))
        old, new = urlsplit(before), urlsplit(after)
        same = (old.scheme, old.hostname, old.port) == (new.scheme, new.hostname, new.port)
        if same and (response.status_code in (307, 308) or response.request.method == "GET"):
            return after
        raise InvalidRequest(
            f"The server redirects to {new.scheme}://{new.hostname or '?'}, which is not followed",
            where=self.target.where,
            todo="Check base_url",
            status=response.status_code,
        )

    # --- refusing and reading ---------------------------------------------------------------------------------------

    async def _refuse(self, response: Any) -> None:
        """Raises the error of a response that is not 200."""
        if response.status_code == 200:
            return
        patience = Patience(self.target.where, self._limits.lookup_s)
        try:
            text = await text_of(response, patience, self.target, self._limits.max_error_bytes, cut=True)
        except ProviderError:
            text = ""
        complaint = describe(text)
        wait_s = from_headers(response.headers, self._clock.now_ns() / 1e9)
        raise from_status(
            response.status_code,
            self.target.without_secrets(complaint.text) if text.strip() else "",
            where=self.target.where,
            retry_after_s=complaint.retry_after_s if wait_s is None else wait_s,
        )

    async def _json(
        self, method: str, path: str, body: Json | None, headers: Mapping[str, str] | None, limit_s: float
    ) -> Json:
        patience = Patience(self.target.where, limit_s)
        response = await self._send(method, path, body, headers, patience, accept="application/json")
        try:
            await self._refuse(response)
            text = await text_of(response, patience, self.target, self._limits.max_body_bytes)
        finally:
            await response.aclose()
        return json_object(text, self.target)


def encode(body: Json) -> bytes:
    """Compact UTF-8 JSON. Half surrogates, which some models write, become question marks: UTF-8 has no place for them."""
    try:
        return msgspec.json.encode(body)
    except UnicodeEncodeError:
        return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
