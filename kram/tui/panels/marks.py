"""One sign and colour for each way an attempt can end."""

from __future__ import annotations

MARKS: dict[str, tuple[str, str]] = {
    "success": ("✓", "$success"),
    "streaming": ("◉", "$accent"),
    "trying": ("◉", "$accent"),
    "error": ("✕", "$error"),
    "rejected": ("!", "$warning"),
    "skipped": ("·", "$foreground 50%"),
    "cancelled": ("·", "$foreground 50%"),
}
WAITING = ("○", "$foreground 40%")


def mark_of(outcome: str) -> tuple[str, str]:
    return MARKS.get(outcome, WAITING)
