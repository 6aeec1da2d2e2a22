"""A browser login that ends in a permanent key: OpenRouter's, and any vendor's whose catalogue entry has a `login`.

    authorize address (browser) -> callback on this machine with a code -> code and verifier for a key

The vendor's addresses are relative to the account's origin, so an account at another address logs in there.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from urllib.parse import urlsplit

import msgspec

from kram.base import KramError, UsageError
from kram.config import Provider, catalog
from kram.providers.errors import AuthFailed, InvalidRequest, ProviderError
from kram.providers.transport import Transport

from .callback import Callback, Returned
from .pkce import Pkce, authorize_url, new_pkce

LOGIN_S = 300.0


class LoginFailed(KramError):
    """The login gave no key: denied, too late, or refused by the vendor. Nothing was stored."""


class BrowserLogin:
    """One login. `run` opens the browser and waits; `take` gives it the address a person copied from a browser elsewhere.

    `open_browser` gets an address and says whether it opened one; it may block. Cancelling `run` ends the login.
    """

    def __init__(
        self,
        account: Provider,
        *,
        open_browser: Callable[[str], bool],
        show: Callable[[str, bool], None],
        limit_s: float = LOGIN_S,
        pkce: Pkce | None = None,
    ) -> None:
        """`show(address, opened)` is called once. Raises `UsageError` where the vendor has no such login."""
        vendor = catalog().find(name=account.name)
        if vendor is None or vendor.login is None:
            raise UsageError(f"'{account.name}' has no browser login", todo="Paste a key instead")
        self._account = account
        self._login = vendor.login
        self._open_browser = open_browser
        self._show = show
        self._limit_s = limit_s
        self._pkce = pkce or new_pkce()
        self._callback: Callback | None = None

    async def run(self) -> str:
        """The key. Raises `LoginFailed` or, where the vendor cannot be reached, `ProviderError`."""
        parts = urlsplit(self._account.base_url)
        origin = f"{parts.scheme}://{parts.netloc}"
        try:
            async with Callback(self._pkce.state) as self._callback:
                address = authorize_url(origin + self._login.authorize, self._callback.url, self._pkce)
                self._show(address, await asyncio.to_thread(self._open_browser, address))
                returned = await self._waited(self._callback)
        except OSError as failure:
            raise LoginFailed(
                f"Nothing can listen on this machine: {failure.strerror}", todo="Paste a key"
            ) from failure
        finally:
            self._callback = None
        if returned.denied:
            raise LoginFailed(f"No access was given: {returned.denied}", todo="Log in again, or paste a key")
        return await self._exchanged(origin, returned.code)

    def take(self, address: str) -> bool:
        """Whether the address belongs to this login, which then goes on."""
        return self._callback is not None and self._callback.take(address)

    async def _waited(self, callback: Callback) -> Returned:
        try:
            async with asyncio.timeout(self._limit_s):
                return await callback.returned()
        except TimeoutError:
            raise LoginFailed(
                f"Nobody came back from the browser within {self._limit_s / 60:g} minutes", todo="Log in again"
            ) from None

    async def _exchanged(self, origin: str, code: str) -> str:
        transport = Transport(msgspec.structs.replace(self._account, base_url=origin, api_key=""))
        body = {"code": code, "code_verifier": self._pkce.verifier, "code_challenge_method": "S256"}
        try:
            answer = await transport.post_json(self._login.exchange, body)
        except (AuthFailed, InvalidRequest) as failure:
            raise LoginFailed("The code was refused, it may be too old", todo="Log in again") from failure
        except ProviderError as failure:
            raise LoginFailed(f"The code could not be exchanged: {failure.what}", todo="Log in again") from failure
        finally:
            await transport.aclose()
        key = answer.get("key")
        if not isinstance(key, str) or not key.strip():
            raise LoginFailed("No key came back", where=self._account.name, todo="Log in again, or paste a key")
        return key.strip()
