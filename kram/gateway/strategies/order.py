"""Strategies that need no score: declared order, rotation, the prefix hash, the last that worked."""

from __future__ import annotations

from kram.messages import Ranked

from .field import Field, led_by, plain


def priority(field: Field) -> list[Ranked]:
    """Declared order, every call."""
    return plain(field.names())


def round_robin(field: Field) -> list[Ranked]:
    """Rotated by a cursor that counts before it answers."""
    names = field.names()
    start = field.memory.next_cursor(field.combo.name) % len(names) if names else 0
    return plain(names[start:] + names[:start])


def prefix_affinity(field: Field) -> list[Ranked]:
    """Rotated to the candidate that the conversation's start hashes to, so that its cache is met again."""
    names = field.names()
    start = names.index(field.affine) if field.affine else 0
    return plain(names[start:] + names[:start], first_reason="cache-affinity" if field.affine else "")


def lkgp(field: Field) -> list[Ranked]:
    """Declared order with the combo's last-known-good in front."""
    names, good = field.names(), field.memory.last_good(field.combo.name)
    return plain(led_by(names, good), first_reason="last-known-good" if good in names else "")
