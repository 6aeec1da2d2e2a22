"""Where requests of a provider go and what travels with them: base URL, proxy, headers, and the secrets never to echo.

Everything a person wrote is checked here once, before anything is sent; what is wrong is a `UsageError` that names the key
of the configuration and never its secret value.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping
from urllib.parse import SplitResult, unquote, urlsplit

from kram.base import Data, UsageError
from kram.config import Provider

DEFAULT_BASE_URLS: dict[str, str] = {
    "anthropic": "https://api.anthropic.com",
    "openai-chat": "https://api.openai.com/v1",
    "openai-responses": "https://api.openai.com/v1",
    "gemini": "https://generativelanguage.googleapis.com/v1beta",
}
PROXY_SCHEMES = ("http", "https", "socks5")
_SECRET_NAME = re.compile(r"auth|key|token|secret|cookie|password", re.IGNORECASE)
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_MASK = "[secret]"


class Endpoint(Data):
    """A checked place to send to. `base_url` has no trailing slash; `query` is what the configured URL carried itself."""

    provider: str
    base_url: str
    query: str
    host: str
    proxy: str
    headers: dict[str, str]
    secrets: tuple[str, ...]

    @property
    def where(self) -> str:
        """For error messages: the provider's name and the host, never the whole URL."""
        return f"{self.provider}, {self.host}"

    @property
    def nearby(self) -> bool:
        """A server on this machine or in the local network: slow to begin, and not a vendor's cloud."""
        return is_nearby(self.host)

    def url(self, path: str) -> str:
        """`path` starts with a slash and may carry a query."""
        path, _, query = path.partition("?")
        both = "&".join(part for part in (self.query, query) if part)
        return f"{self.base_url}{path}" + (f"?{both}" if both else "")

    def without_secrets(self, text: str) -> str:
        for secret in self.secrets:
            text = text.replace(secret, _MASK)
        return text


def endpoint(config: Provider) -> Endpoint:
    """Raises `UsageError` for a base URL, a proxy or a header that cannot be used."""
    url = _base_url(config)
    proxy = _proxy(config)
    for name, value in config.headers.items():
        check_header(config.name, name, value)
    found = [
        config.api_key.strip(),
        *(unquote(part) for part in (url.password, proxy.password if proxy else None) if part),
    ]
    found += [value for name, value in config.headers.items() if _SECRET_NAME.search(name)]
    found += [value.removeprefix("Bearer ") for value in found]
    return Endpoint(
        provider=config.name,
        base_url=url._replace(query="", fragment="").geturl().rstrip("/"),
        query=url.query,
        host=url.hostname or "",
        proxy=config.proxy.strip(),
        headers=dict(config.headers),
        secrets=tuple(sorted({secret for secret in found if len(secret) >= 6}, key=len, reverse=True)),
    )


def check_header(provider: str, name: str, value: str) -> None:
    """Raises `UsageError` for a header that HTTP cannot carry; without showing the value, which may be a key."""
    if not _TOKEN.fullmatch(name):
        raise UsageError(f"Provider '{provider}' has a header whose name cannot be sent: {name!r}", where="headers")
    if not value.isascii() or any((ord(c) < 32 and c != "\t") or ord(c) == 127 for c in value):
        raise UsageError(
            f"The header {name} of provider '{provider}' holds characters that cannot be sent",
            todo="Look for a line break or a non-ASCII character in the key or header",
        )


def joined(*layers: Mapping[str, str]) -> dict[str, str]:
    """Headers of all layers, names compared without case; later layers win."""
    merged: dict[str, tuple[str, str]] = {}
    for layer in layers:
        merged.update({name.lower(): (name, value) for name, value in layer.items()})
    return dict(merged.values())


def is_nearby(host: str) -> bool:
    if host == "localhost" or host.endswith((".localhost", ".local", ".lan", ".internal")):
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return address.is_loopback or address.is_private or address.is_link_local


def _base_url(config: Provider) -> SplitResult:
    text = config.base_url.strip() or DEFAULT_BASE_URLS.get(config.kind, "")
    url = _split(text)
    if url is None or url.scheme not in ("http", "https"):
        raise UsageError(
            f"Provider '{config.name}' has a base_url that is not an http(s) URL",
            where="base_url",
            todo=f"For example {DEFAULT_BASE_URLS.get(config.kind, 'http://127.0.0.1:8080/v1')}",
        )
    return url


def _proxy(config: Provider) -> SplitResult | None:
    text = config.proxy.strip()
    if not text:
        return None
    url = _split(text)
    if url is None or url.scheme not in PROXY_SCHEMES:
        raise UsageError(
            f"Provider '{config.name}' has a proxy that cannot be used",
            where="proxy",
            todo="Write it as http://host:port, https://host:port or socks5://user:password@host:port",
        )
    return url


def _split(text: str) -> SplitResult | None:
    """The parts of a URL that has a host and a valid port, else None."""
    try:
        url = urlsplit(text)
        _ = url.port
    except ValueError:
        return None
    return url if url.hostname else None
