"""What routing remembers between calls: the prefix a cache would hold, the provider of a run, the last one that worked."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from functools import lru_cache

from kram.messages import CompletionRequest

STICKY_RUNS = 256


def affinity_key(request: CompletionRequest) -> str:
    """The stable start of a conversation: leading system text and the first user message. The growing tail is left out."""
    first_user = next((message.text() for message in request.messages if message.role == "user"), "")
    stable = request.system[: request.dynamic_boundary] if request.dynamic_boundary else request.system
    return "\n\n".join(stable) + first_user


@lru_cache(maxsize=32)
def fnv1a_64(text: str) -> int:
    """The 64-bit FNV-1a hash of a text's UTF-8 bytes. Kept for the latest, since every call of a session asks for the same one
    and a prompt takes a millisecond."""
    value = 0xCBF29CE484222325
    for byte in text.encode("utf-8", "surrogatepass"):
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return value


def affine_choice(key: str, names: Sequence[str]) -> str:
    """The candidate that a conversation's start hashes to, "" without a key or without candidates."""
    return names[fnv1a_64(key) % len(names)] if key and names else ""


class Memory:
    """Sticky runs (the oldest used is forgotten past 256), last-known-good and round-robin cursors by combo.

    Only a completed answer updates the first two; a committed stream may still break.
    """

    def __init__(self) -> None:
        self._runs: OrderedDict[str, str] = OrderedDict()
        self._good: dict[str, str] = {}
        self._cursors: dict[str, int] = {}

    def sticky(self, run_key: str) -> str:
        """The candidate that last served this run, "" where none did."""
        if run_key in self._runs:
            self._runs.move_to_end(run_key)
        return self._runs.get(run_key, "")

    def last_good(self, combo: str) -> str:
        return self._good.get(combo, "")

    def completed(self, combo: str, run_key: str, candidate: str) -> None:
        self._good[combo] = candidate
        if run_key:
            self._runs[run_key] = candidate
            self._runs.move_to_end(run_key)
            if len(self._runs) > STICKY_RUNS:
                self._runs.popitem(last=False)

    def next_cursor(self, combo: str) -> int:
        """Counts first, then answers, so the first call of a combo starts at its second candidate."""
        self._cursors[combo] = self._cursors.get(combo, 0) + 1
        return self._cursors[combo]
