"""A request that a provider called wrong is kept in a file, so that it can be looked at and reported.

`STATE/refused/TIME-PROVIDER.json` holds the refusal and the body as it was sent, with secrets taken out and images left out;
only the person may read it, and the newest twenty stay.
"""

from __future__ import annotations

import json
import logging
import re
from pathlib import Path
from typing import Any

from kram.base import Redactor, iso_utc
from kram.base.files import atomic_write
from kram.events import Notice
from kram.gateway import AllFailed
from kram.messages import Attempt, CompletionRequest

from .bench import Bench

log = logging.getLogger(__name__)

KEPT = 20
LONG_CHARS = 20_000
"""A text without spaces of this length is an image or kin, and tells nobody anything."""


def keep_refused(bench: Bench, request: CompletionRequest, failure: AllFailed) -> None:
    """Keeps the request and tells the person where. Does nothing where no candidate called it wrong."""
    refused = next(
        (one for one in reversed(failure.attempts) if one.kind == "invalid_request" and one.http_status), None
    )
    if refused is None:
        return
    try:
        path = _written(bench, request, refused)
    except Exception:
        # A report is a help; the refusal itself is told in any case.
        log.exception("a refused request could not be kept")
        return
    bench.emit(Notice(text=f"What {refused.name} refused is kept for a report, without secrets: {path}"))


def _written(bench: Bench, request: CompletionRequest, refused: Attempt) -> Path:
    model = bench.gateway.roster.model(refused.name)
    assert model is not None
    body = bench.gateway.provider(refused.provider).body(request, model)
    at = iso_utc(bench.clock.now_ns())
    report = {
        "at": at,
        "model": refused.name,
        "status": refused.http_status,
        "refusal": refused.reason,
        "session": bench.record.session_id,
        "body": body,
    }
    name = re.sub(r"[^A-Za-z0-9.-]+", "-", f"{at}-{refused.provider}")
    path = bench.refused / f"{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    text = json.dumps(_clean(report, bench.redactor), ensure_ascii=False, indent=1)
    atomic_write(path, text.encode("utf-8", "replace"), mode=0o600)
    for old in sorted(path.parent.glob("*.json"))[:-KEPT]:
        old.unlink(missing_ok=True)
    return path


def _clean(value: Any, redactor: Redactor) -> Any:
    """The same data without secrets and without data that only a machine can read."""
    if isinstance(value, str):
        if len(value) > LONG_CHARS and not re.search(r"\s", value):
            return f"[{len(value)} characters of data]"
        return redactor.redact(value)
    if isinstance(value, dict):
        return {key: _clean(inner, redactor) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_clean(inner, redactor) for inner in value]
    return value
