"""A vendor's login as a real local server: it remembers challenges, hands out codes, and gives a key only for the verifier
that fits. `browse` plays the browser of a person who agrees; the other ways to come back are its parameters."""

from __future__ import annotations

import asyncio
import base64
import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

from tests.support.page_server import Asked, PageServer, Refusal, serving

KEY = "sk-or-v1-minted-for-the-test"


@dataclass
class Vendor:
    """`codes`: code -> the challenge it was given for. A code works once."""

    codes: dict[str, str] = field(default_factory=dict)
    authorized: list[dict[str, str]] = field(default_factory=list)
    exchanges: list[Any] = field(default_factory=list)
    server: PageServer | None = None
    expired: bool = False

    @property
    def url(self) -> str:
        assert self.server is not None
        return self.server.url

    def authorize(self, asked: Asked) -> Any:
        query = {name: values[0] for name, values in parse_qs(urlsplit(asked.path).query).items()}
        self.authorized.append(query)
        if query.get("code_challenge_method") != "S256" or len(query.get("code_challenge", "")) != 43:
            return Refusal(400, {"error": "S256 is needed"})
        code = f"code-{len(self.authorized)}"
        self.codes[code] = query["code_challenge"]
        return {"redirect": f"{query['callback_url']}?code={code}"}

    def exchange(self, asked: Asked) -> Any:
        body = asked.body or {}
        self.exchanges.append(body)
        challenge = self.codes.pop(body.get("code", ""), None)
        digest = hashlib.sha256(str(body.get("code_verifier", "")).encode()).digest()
        fits = base64.urlsafe_b64encode(digest).rstrip(b"=").decode() == challenge
        if not fits or self.expired or body.get("code_challenge_method") != "S256":
            return Refusal(403, {"error": {"message": "Invalid code or code_verifier"}})
        return {"key": KEY, "user_id": "user_1"}

    def key(self, asked: Asked) -> Any:
        return {"data": {}} if asked.headers.get("authorization") == f"Bearer {KEY}" else Refusal(401, {"error": "no"})


@asynccontextmanager
async def vendor(**pages: Any) -> AsyncIterator[Vendor]:
    made = Vendor()
    models = {"data": [{"id": "openai/gpt-oss-120b", "context_length": 131072}]}
    login = {"/auth": made.authorize, "/api/v1/auth/keys": made.exchange, "/api/v1/key": made.key}
    async with serving({**login, "/api/v1/models": models, **pages}) as made.server:
        yield made


async def get(address: str, *, host: str = "", method: str = "GET") -> tuple[int, str]:
    """Status and body of a request over a plain socket; `host` as the Host header."""
    parts = urlsplit(address)
    reader, writer = await asyncio.open_connection("127.0.0.1", parts.port)
    target = f"{parts.path}?{parts.query}" if parts.query else parts.path
    writer.write(f"{method} {target} HTTP/1.1\r\nHost: {host or parts.netloc}\r\nConnection: close\r\n\r\n".encode())
    raw = (await reader.read()).decode()
    writer.close()
    head, _, body = raw.partition("\r\n\r\n")
    return int(head.split()[1]), body


async def browse(address: str, *, deny: str = "") -> int:
    """The person logs in and agrees (or not); the browser follows the redirect to kram. The status kram answered with."""
    import json

    if deny:
        back = parse_qs(urlsplit(address).query)["callback_url"][0]
        return (await get(f"{back}?error={quote(deny)}"))[0]
    status, body = await get(address)
    assert status == 200, body
    return (await get(json.loads(body)["redirect"]))[0]
