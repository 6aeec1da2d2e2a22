"""What the model has read, by content: a change to a file that it has not seen since is refused."""

from __future__ import annotations

from kram.base import Data


class ReadState(Data):
    """`known`: it was read or written in this session. `changed`: its content is another one now."""

    known: bool
    changed: bool


class ReadLedger:
    """Real path -> hash of the content that was last seen."""

    def __init__(self) -> None:
        self._seen: dict[str, str] = {}

    def note(self, real: str, content_hash: str) -> None:
        self._seen[real] = content_hash

    def forget(self, real: str) -> None:
        self._seen.pop(real, None)

    def seen(self) -> dict[str, str]:
        """Real path -> hash, in the order of the first look."""
        return dict(self._seen)

    def state(self, real: str, content_hash: str) -> ReadState:
        seen = self._seen.get(real)
        return ReadState(known=seen is not None, changed=seen is not None and seen != content_hash)
