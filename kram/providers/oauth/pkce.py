"""The secrets of one login: a verifier only this process knows, its S256 challenge, and a state that names the login.

Format: RFC 7636 (PKCE). Pure but for `secrets`.
"""

from __future__ import annotations

import base64
import hashlib
import secrets
from collections.abc import Callable
from urllib.parse import urlencode

from kram.base import Data

_BYTES = 48


class Pkce(Data):
    """`verifier` goes only to the vendor's token address, `challenge` and `state` through the browser."""

    verifier: str
    state: str

    @property
    def challenge(self) -> str:
        """BASE64URL(SHA256(verifier)) without padding."""
        digest = hashlib.sha256(self.verifier.encode("ascii")).digest()
        return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()

    def __repr__(self) -> str:
        return "Pkce(…)"


def new_pkce(token: Callable[[int], str] = secrets.token_urlsafe) -> Pkce:
    """`token` makes URL-safe text of that many random bytes."""
    return Pkce(verifier=token(_BYTES), state=token(24))


def authorize_url(address: str, callback_url: str, pkce: Pkce) -> str:
    """Where the browser goes."""
    query = {"callback_url": callback_url, "code_challenge": pkce.challenge, "code_challenge_method": "S256"}
    return f"{address}?{urlencode(query)}"
