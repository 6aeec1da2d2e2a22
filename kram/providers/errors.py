"""Failures of a model call, classified once. An HTTP status decides where there is one; text only where there is none.

ProviderError                   kind "unknown"; `retryable` says whether another try may help
├── NetworkFailed               network: refused, reset, DNS, no answer
│   └── TlsFailed               network: the certificate or the handshake is wrong; never tried again
├── TimedOut                    timeout: no first byte, or no content for too long
├── ServerFailed                server_error: 5xx, 529, an "overloaded" error inside a stream
├── RateLimited                 rate_limit: 429; `retry_after_s` where the provider said it
├── AuthFailed                  auth: 401, 403
├── InvalidRequest              invalid_request: 400, 422 and other 4xx
│   └── ContextOverflow         context_overflow: the prompt is larger than the window
├── ModelMissing                model_missing: 404 for the model
├── ContentRejected             content_rejected: an answer the gate refused, or none at all
│   └── PromptBlocked           content_rejected: the provider's filter refused the prompt itself; another try is no help
└── Incomplete                  incomplete: the stream ended without its terminal event
"""

from __future__ import annotations

import re

from kram.base import KramError


class ProviderError(KramError):
    """A model call failed. `text` of a provider is data: cut, cleaned, and never holds the key."""

    kind = "unknown"
    retryable = False

    def __init__(
        self,
        what: str,
        *,
        where: str = "",
        todo: str = "",
        status: int | None = None,
        retry_after_s: float | None = None,
    ) -> None:
        super().__init__(what, where=where, todo=todo)
        self.status = status
        self.retry_after_s = retry_after_s


class NetworkFailed(ProviderError):
    kind = "network"
    retryable = True


class TlsFailed(NetworkFailed):
    retryable = False


class TimedOut(ProviderError):
    kind = "timeout"
    retryable = True


class ServerFailed(ProviderError):
    kind = "server_error"
    retryable = True


class RateLimited(ProviderError):
    kind = "rate_limit"
    retryable = True


class AuthFailed(ProviderError):
    kind = "auth"


class InvalidRequest(ProviderError):
    kind = "invalid_request"


class ContextOverflow(InvalidRequest):
    kind = "context_overflow"


class ModelMissing(ProviderError):
    kind = "model_missing"


class ContentRejected(ProviderError):
    kind = "content_rejected"
    retryable = True


class PromptBlocked(ContentRejected):
    retryable = False


class Incomplete(ProviderError):
    kind = "incomplete"
    retryable = True


_OVERFLOW = re.compile(
    r"context window|maximum context|max context|exceed_context_size|available context size|context_length_exceeded"
    r"|input is too long|prompt is too long|request too large",
    re.IGNORECASE,
)
_RATE = re.compile(
    r"rate.?limit|too many requests|quota exceeded|quota_exceeded|insufficient.quota|resource_exhausted|\b429\b",
    re.IGNORECASE,
)
_AUTH = re.compile(
    r"unauthorized|authentication (failed|error)|authentication_error|invalid.api.key|api key (is )?(not valid|invalid|rejected)"
    r"|permission denied|permission_error|\b401\b",
    re.IGNORECASE,
)
_MODEL = re.compile(
    r"model.{0,60}(not found|does not exist|not exist|unknown|no longer)|not_found_error|model_not_found", re.IGNORECASE
)


def from_status(status: int, text: str, *, where: str = "", retry_after_s: float | None = None) -> ProviderError:
    """The error of an HTTP response that is not 200. `text` is the provider's message, already cut and cleaned."""
    what = f"HTTP {status}: {text}" if text else f"HTTP {status}"
    kind: type[ProviderError]
    if status == 429:
        kind = RateLimited
    elif status in (401, 403):
        kind = AuthFailed
    elif status == 404:
        kind = ModelMissing
    elif status == 408:
        kind = TimedOut
    elif status == 413 or (status in (400, 422) and _OVERFLOW.search(text)):
        kind = ContextOverflow
    elif status >= 500 or status == 409:
        kind = ServerFailed
    else:
        kind = InvalidRequest
    return kind(what, where=where, todo=_TODO.get(kind, ""), status=status, retry_after_s=retry_after_s)


def from_text(text: str, *, where: str = "", retry_after_s: float | None = None) -> ProviderError:
    """The error that a provider put inside a 200 response, or that has no status for another reason."""
    for pattern, kind in (
        (_RATE, RateLimited),
        (_AUTH, AuthFailed),
        (_OVERFLOW, ContextOverflow),
        (_MODEL, ModelMissing),
    ):
        if pattern.search(text):
            return kind(text, where=where, todo=_TODO.get(kind, ""), retry_after_s=retry_after_s)
    return ServerFailed(text, where=where, retry_after_s=retry_after_s)


_TODO: dict[type[ProviderError], str] = {
    AuthFailed: "Check the API key, or set up the account again with `kram --setup`",
    ModelMissing: "Choose another model with /model",
    ContextOverflow: "Use /compact, or a model with a larger window",
}
