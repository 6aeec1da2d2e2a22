"""Careful looks into foreign JSON: a value of another type is as good as none."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from kram.messages import ImageBlock

from .imported import BadImport

IMAGE_TYPES = ("image/png", "image/jpeg", "image/gif", "image/webp")


def table(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def words(value: Any) -> str:
    return value if isinstance(value, str) else ""


def count(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def nanoseconds(value: Any) -> int:
    """Of an ISO 8601 time; 0 where it is none."""
    try:
        moment = datetime.fromisoformat(words(value))
    except ValueError:
        return 0
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max(0, int(aware.timestamp() * 1_000_000) * 1_000)


def picture(media_type: Any, data: Any) -> ImageBlock | None:
    """An image of a known type whose data is what it says to be."""
    if media_type not in IMAGE_TYPES or not words(data):
        return None
    try:
        base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        return None
    return ImageBlock(media_type=media_type, data=data)


def data_url(value: Any) -> ImageBlock | None:
    """An image out of `data:image/png;base64,…`; addresses elsewhere are not fetched and not kept."""
    head, comma, data = words(value).partition(";base64,")
    return picture(head.removeprefix("data:"), data) if comma else None


def json_lines(text: str) -> Iterator[dict[str, Any]]:
    """Objects, one a line. A torn last line (the program was killed) is left out; any other is an error naming its number."""
    lines = text.split("\n")
    last = max((number for number, line in enumerate(lines) if line.strip()), default=-1)
    for number, line in enumerate(lines):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as failure:
            if number == last and number:
                return
            raise BadImport(f"Line {number + 1} is no JSON: {failure}") from failure
        if isinstance(value, dict):
            yield value
