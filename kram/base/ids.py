"""Identifiers: random, lower-case UUID v4 for entries and calls, short prefixed ones for sessions and artifacts."""

from __future__ import annotations

import secrets
import uuid


def new_id() -> str:
    """A random UUID v4 in its 8-4-4-4-12 form."""
    return str(uuid.uuid4())


def session_id() -> str:
    """`ses_` and 16 hex digits."""
    return f"ses_{secrets.token_hex(8)}"


def artifact_id() -> str:
    """`art_` and 16 hex digits."""
    return f"art_{secrets.token_hex(8)}"
