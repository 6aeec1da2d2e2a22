"""Who may ask. The token keeps other users and programs of the machine out; the checks of `Host` and `Origin` keep web pages
out, which reach loopback through the person's own browser (DNS rebinding, cross-site requests).
"""

from __future__ import annotations

import hmac
import ipaddress
from collections.abc import Mapping

from kram.base import Data

from .problems import Problem

PUBLIC = frozenset({"/health"})
"""Paths that need no token."""


class Guard(Data):
    """`check` raises `Problem` for whoever may not ask. `any_host`: the person bound another address than loopback, so host
    names cannot be told apart; the token still can."""

    token: str
    any_host: bool = False

    def check(self, path: str, headers: Mapping[str, str]) -> None:
        """`headers` has lower-case names."""
        if not self.any_host and not is_loopback(_host(headers.get("host", ""))):
            raise Problem(
                "The Host header names another machine. Use 127.0.0.1, [::1] or localhost",
                status=403,
                code="foreign_host",
            )
        if "origin" in headers:
            raise Problem("Web pages may not use this endpoint", status=403, code="browser_origin")
        if path not in PUBLIC and not self._proven(headers.get("authorization", "")):
            raise Problem(
                "The token is missing or wrong. `kram serve` shows it when it starts; send it as the API key",
                status=401,
                kind="authentication_error",
                code="invalid_api_key",
                headers={"WWW-Authenticate": "Bearer"},
            )

    def __repr__(self) -> str:
        return "Guard(token=…)"

    def _proven(self, authorization: str) -> bool:
        scheme, _, given = authorization.partition(" ")
        # Compared as bytes in constant time; header text is latin-1.
        same = hmac.compare_digest(given.strip().encode("latin-1", "replace"), self.token.encode())
        return scheme.lower() == "bearer" and same


def is_loopback(host: str) -> bool:
    """Whether a host name or address can only mean this machine."""
    if host.lower().rstrip(".") == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _host(header: str) -> str:
    """The name in `Host`, without its port and brackets."""
    if header.startswith("["):
        return header[1:].partition("]")[0]
    return header.partition(":")[0]
