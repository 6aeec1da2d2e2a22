"""What httpx raises, as our errors. Texts of the library are used only where they cannot hold an URL, a header or a key."""

from __future__ import annotations

import os
import ssl

import httpx

from kram.base import KramError, UsageError

from .endpoint import Endpoint
from .errors import Incomplete, NetworkFailed, ServerFailed, TimedOut, TlsFailed


def before_answer(error: Exception, target: Endpoint) -> KramError:
    """The connection failed before anything of the answer was there."""
    tls = _tls_reason(error)
    if tls:
        return TlsFailed(f"No secure connection: {tls}", where=target.where, todo="Check base_url and the certificates")
    if isinstance(error, httpx.LocalProtocolError | httpx.InvalidURL | httpx.UnsupportedProtocol):
        return UsageError(
            "The request cannot be sent as configured", where=target.where, todo="Check base_url and headers"
        )
    if isinstance(error, httpx.ProxyError):
        return NetworkFailed("The proxy refused the connection", where=target.where, todo="Check the proxy setting")
    if isinstance(error, httpx.TimeoutException):
        return TimedOut("No connection in time", where=target.where)
    if isinstance(error, httpx.ConnectError):
        reason = _os_reason(error)
        return NetworkFailed(f"Cannot connect{f': {reason}' if reason else ''}", where=target.where)
    if isinstance(error, httpx.DecodingError):
        return ServerFailed("The answer is compressed in a broken way", where=target.where)
    return NetworkFailed("The connection broke before an answer came", where=target.where)


def in_answer(error: Exception, target: Endpoint) -> KramError:
    """The connection failed while the answer came."""
    if isinstance(error, httpx.DecodingError):
        return ServerFailed("The answer is compressed in a broken way", where=target.where)
    return Incomplete("The connection broke in the middle of the answer", where=target.where)


def _tls_reason(error: BaseException) -> str:
    for cause in _causes(error):
        if isinstance(cause, ssl.SSLCertVerificationError):
            return cause.verify_message
        if isinstance(cause, ssl.SSLError):
            return (cause.reason or "handshake failed").replace("_", " ").lower()
    return ""


def _os_reason(error: BaseException) -> str:
    for cause in _causes(error):
        if isinstance(cause, OSError) and cause.strerror:
            # asyncio's own words are "Connect call failed"; the system's say why. Names that do not resolve have codes below 0.
            return os.strerror(cause.errno).lower() if cause.errno and cause.errno > 0 else cause.strerror
    return ""


def _causes(error: BaseException) -> list[BaseException]:
    """The error and what led to it, nearest first; an exception group counts with its members."""
    chain: list[BaseException] = []
    waiting: list[BaseException | None] = [error]
    while waiting and len(chain) < 20:
        current = waiting.pop()
        if current is None or current in chain:
            continue
        chain.append(current)
        waiting += [current.__context__, current.__cause__]
        if isinstance(current, BaseExceptionGroup):
            waiting += list(current.exceptions)
    return chain
