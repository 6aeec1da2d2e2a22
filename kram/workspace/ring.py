"""The last bytes of an endless output, addressed by their place in the whole."""

from __future__ import annotations

RETAINED_BYTES = 500_000


class Ring:
    """Places count from 0 at the first byte ever appended; `start` is the oldest one still here, `end` the next to come."""

    def __init__(self, max_bytes: int = RETAINED_BYTES) -> None:
        self._max_bytes = max_bytes
        self._data = bytearray()
        self.end = 0

    @property
    def start(self) -> int:
        return self.end - min(len(self._data), self._max_bytes)

    def append(self, chunk: bytes) -> None:
        self.end += len(chunk)
        self._data += chunk[-self._max_bytes :]
        # Trimmed in large steps, so that a byte is moved at most once on average.
        if len(self._data) > 2 * self._max_bytes:
            del self._data[: -self._max_bytes]

    def read(self, place: int, limit: int) -> bytes:
        """At most `limit` bytes from `place`, which has to lie between `start` and `end`."""
        index = len(self._data) - (self.end - place)
        return bytes(self._data[index : index + limit])
