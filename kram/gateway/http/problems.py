"""What goes wrong, in the shape OpenAI's clients know: `{"error": {"message", "type", "param", "code", …}}` and a status.

    400 the request itself      401 the token          403 a web page or a foreign host name     404, 405, 413
    502 every candidate failed  503 nobody can take it 500 our own fault

`x-should-retry` is what the official SDKs obey; `Retry-After` (seconds) is for everyone else.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from kram.base import Json, KramError
from kram.gateway.errors import AllFailed, NoCandidate
from kram.messages import Attempt, to_plain
from kram.providers import ProviderError


class Problem(KramError):
    """A request that ends without an answer. `param` names the field (`messages[2].content`), `more` joins the error object."""

    def __init__(
        self,
        what: str,
        *,
        status: int = 400,
        kind: str = "invalid_request_error",
        param: str = "",
        code: str = "",
        headers: Mapping[str, str] | None = None,
        more: Json | None = None,
    ) -> None:
        super().__init__(what)
        self.status = status
        self.kind = kind
        self.param = param
        self.code = code
        self.headers = dict(headers or {})
        self.more = more or {}

    def body(self) -> Json:
        """The answer's JSON."""
        error: Json = {
            "message": self.what,
            "type": self.kind,
            "param": self.param or None,
            "code": self.code or None,
            **self.more,
        }
        return {"error": error}


def nobody(failure: NoCandidate, retry_after_s: float | None) -> Problem:
    """No candidate can take the request, now or at all."""
    return Problem(
        failure.what,
        status=503,
        kind="server_error",
        code="no_eligible_provider",
        headers=_retry_headers(retry_after_s is not None, retry_after_s),
        more={"retryable": retry_after_s is not None, "retry_after_ms": _ms(retry_after_s)},
    )


def all_failed(failure: AllFailed, combo: str, retry_after_s: float | None) -> Problem:
    """Every attempt failed before it said anything."""
    retryable = any(one.retryable for one in failure.failures)
    return _failed(
        failure.what,
        combo=combo,
        attempts=failure.attempts,
        last=failure.failures[-1],
        retryable=retryable,
        retry_after_s=retry_after_s,
    )


def broke_off(failure: ProviderError, combo: str, attempts: Sequence[Attempt], retry_after_s: float | None) -> Problem:
    """The answer began and did not end."""
    return _failed(
        failure.what,
        combo=combo,
        attempts=attempts,
        last=failure,
        retryable=failure.retryable,
        retry_after_s=retry_after_s,
    )


def _failed(
    what: str,
    *,
    combo: str,
    attempts: Sequence[Attempt],
    last: ProviderError,
    retryable: bool,
    retry_after_s: float | None,
) -> Problem:
    wait_s = retry_after_s if retryable else None
    return Problem(
        what,
        status=502,
        kind="upstream_error",
        code="context_length_exceeded" if last.kind == "context_overflow" else last.kind,
        headers=_retry_headers(retryable, wait_s),
        more={
            "combo": combo,
            "retryable": retryable,
            "retry_after_ms": _ms(wait_s),
            "cause": last.what,
            "attempts": to_plain(tuple(attempts)),
        },
    )


def internal() -> Problem:
    """Our own fault. What it was stands in the log, not in the answer."""
    return Problem("kram failed while handling this request; its log says how", status=500, kind="server_error")


def stopping() -> Problem:
    return Problem(
        "kram serve is being stopped",
        status=503,
        kind="server_error",
        code="stopping",
        headers=_retry_headers(True, None),
        more={"retryable": True, "retry_after_ms": None},
    )


def _retry_headers(retryable: bool, wait_s: float | None) -> dict[str, str]:
    headers = {"x-should-retry": "true" if retryable else "false"}
    return headers if wait_s is None else {**headers, "Retry-After": str(max(1, math.ceil(wait_s)))}


def _ms(seconds: float | None) -> int | None:
    return None if seconds is None else round(seconds * 1000)
