"""How long a server asks us to wait, in every form it was seen to say it."""

from __future__ import annotations

from email.utils import formatdate

import pytest

from kram.providers.retry_after import MAX_WAIT_S, from_body, from_headers

NOW_S = 1_800_000_000.0


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": " 1.5 "}, 1.5),
        ({"retry-after": "0"}, 0.0),
        ({"retry-after": formatdate(NOW_S + 42, usegmt=True)}, 42.0),
        ({"retry-after": formatdate(NOW_S - 3600, usegmt=True)}, 0.0),
        ({"retry-after": "999999"}, MAX_WAIT_S),
        ({"retry-after": formatdate(NOW_S + 99_999, usegmt=True)}, MAX_WAIT_S),
        ({"retry-after-ms": "1500"}, 1.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after-ms": "soon", "retry-after": "9"}, 9.0),
        ({"x-ms-retry-after-ms": "400", "retry-after": "1"}, 0.4),
        ({"retry-after-ms": "-1", "retry-after": "-1"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-5"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": ""}, None),
        ({"retry-after": "Wed, 99 Foo 2026 99:99:99 GMT"}, None),
        ({}, None),
    ],
)
def test_headers(headers: dict[str, str], seconds: float | None) -> None:
    assert from_headers(headers, NOW_S) == seconds


def test_a_date_is_measured_against_the_servers_own_clock() -> None:
    """Our clock is an hour behind; the server means ten seconds."""
    server_now_s = NOW_S + 3600
    headers = {"retry-after": formatdate(server_now_s + 10, usegmt=True), "date": formatdate(server_now_s, usegmt=True)}
    assert from_headers(headers, NOW_S) == 10.0


RETRY_INFO = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.074824224s"}


@pytest.mark.parametrize(
    ("body", "seconds"),
    [
        (
            {"error": {"code": 429, "details": [{"@type": "type.googleapis.com/google.rpc.Help"}, RETRY_INFO]}},
            34.074824224,
        ),
        ([{"error": {"details": [RETRY_INFO]}}], 34.074824224),
        ({"error": {"message": "Rate limit reached. Please try again in 7m12.5s. Visit …"}}, MAX_WAIT_S),
        ({"error": {"message": "Please try again in 1.2s"}}, 1.2),
        ({"error": {"message": "Please retry after 20 seconds."}}, 20.0),
        ({"error": {"message": "try again in 120ms"}}, 0.12),
        ({"error": {"retry_after": 3}}, 3.0),
        ({"retry_after": 99_999}, MAX_WAIT_S),
        ({"error": {"retry_after": -1}}, None),
        ({"error": {"retry_after": True}}, None),
        ({"error": {"message": "slow down"}}, None),
        ("not an object", None),
        (None, None),
    ],
)
def test_bodies(body: object, seconds: float | None) -> None:
    found = from_body(body)
    assert found == pytest.approx(seconds) if seconds is not None else found is None
