"""What was too long for the model to see at once: whole outputs on disk, read back in ranges and searched.

Two files each in one private folder: `<id>.bin`, the bytes, and `<id>.json`, whose they are (version 1: id, session_id,
call_id, tool, created_at, size, sha256). Ids are `art_` and 16 hex digits and nothing else names an artifact. Kept 7 days.

    NoArtifact    no artifact under this id, or it has expired
"""

from __future__ import annotations

import hashlib
import io
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO

import msgspec

from kram.base import Clock, Data, KramError, Redactor, artifact_id, atomic_write, one_line, read_bytes

from .search_lines import FoundLine, search_file
from .spill import text_of, whole_characters

MAX_READ_BYTES = 8_000
# So that a character always fits.
MIN_READ_BYTES = 4
KEPT_DAYS = 7
_ID = re.compile(r"art_[0-9a-f]{16}\Z")
_OURS = re.compile(r"(art_[0-9a-f]{16}\.(bin|json)|(put|spill)-.*)\Z")
_BLOCK = 1_048_576


class NoArtifact(KramError):
    """No artifact under this id, or it has expired."""


class ArtifactInfo(Data):
    """`created_at` in nanoseconds since 1970, `size` in bytes."""

    id: str
    session_id: str
    call_id: str
    tool: str
    created_at: int
    size: int
    sha256: str
    version: int = 1


class ArtifactSlice(Data):
    """Bytes `offset` to `next_offset` as text, cut between characters. `remaining` bytes follow."""

    id: str
    text: str
    offset: int
    next_offset: int
    size: int

    @property
    def remaining(self) -> int:
        return self.size - self.next_offset


class Artifacts:
    """All methods block and may be called from any thread. What is put is redacted first, where there is a redactor."""

    def __init__(self, folder: Path, clock: Clock, redactor: Redactor | None = None) -> None:
        self.folder = folder
        self._clock = clock
        self._redactor = redactor

    def put(self, data: bytes | Path, *, session_id: str, call_id: str, tool: str) -> str:
        """Stores bytes, or takes over a file, and returns the id. Raises `OSError` when it can't be stored."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        scratch, size, digest = self._written(data)
        info = ArtifactInfo(
            id=artifact_id(),
            session_id=session_id,
            call_id=call_id,
            tool=tool,
            created_at=self._clock.now_ns(),
            size=size,
            sha256=digest,
        )
        try:
            scratch.replace(self._bytes_path(info.id))
            # The description comes last: bytes without one are what an interrupted `put` leaves, and expire with the rest.
            atomic_write(self._info_path(info.id), msgspec.json.encode(info), mode=0o600)
        except OSError:
            for leftover in (scratch, self._bytes_path(info.id)):
                leftover.unlink(missing_ok=True)
            raise
        if isinstance(data, Path):
            with suppress(OSError):
                data.unlink()
        return info.id

    def _written(self, data: bytes | Path) -> tuple[Path, int, str]:
        digest, size = hashlib.sha256(), 0
        descriptor, name = tempfile.mkstemp(prefix="put-", dir=self.folder)
        try:
            with os.fdopen(descriptor, "wb") as target, _opened(data) as source:
                for block in _lines_in_blocks(source):
                    kept = self._redacted(block)
                    target.write(kept)
                    digest.update(kept)
                    size += len(kept)
        except OSError:
            Path(name).unlink(missing_ok=True)
            raise
        return Path(name), size, digest.hexdigest()

    def _redacted(self, block: bytes) -> bytes:
        if self._redactor is None:
            return block
        text = block.decode("utf-8", "surrogateescape")
        return self._redactor.redact(text).encode("utf-8", "surrogateescape")

    # --- reading ------------------------------------------------------------------------------------------------

    def info(self, wanted: str) -> ArtifactInfo:
        """Raises `NoArtifact`."""
        if not _ID.match(wanted):
            raise NoArtifact(f"'{one_line(wanted, 60)}' is no artifact id; ids are art_ and 16 hex digits")
        try:
            return msgspec.json.decode(read_bytes(self._info_path(wanted), 100_000), type=ArtifactInfo)
        except (OSError, msgspec.MsgspecError) as failure:
            raise NoArtifact(f"There is no artifact {wanted}; it may have expired ({KEPT_DAYS} days)") from failure

    def read(self, wanted: str, offset: int = 0, limit: int = MAX_READ_BYTES) -> ArtifactSlice:
        """At most `limit` bytes from `offset`; a negative offset counts from the end. Raises `NoArtifact`."""
        info = self.info(wanted)
        try:
            with self._bytes_path(wanted).open("rb") as file:
                size = os.fstat(file.fileno()).st_size
                start = max(size + offset, 0) if offset < 0 else min(offset, size)
                file.seek(start)
                data = file.read(max(limit, MIN_READ_BYTES))
        except OSError as failure:
            raise NoArtifact(f"Artifact {info.id} can't be read: {failure.strerror}") from failure
        return _slice(wanted, data, start, size)

    async def search(self, wanted: str, pattern: str, *, ignore_case: bool = False, limit: int = 50) -> list[FoundLine]:
        """Lines that match a regular expression. Raises `NoArtifact`, and `BadPattern` for a pattern that can't be used."""
        self.info(wanted)
        return await search_file(self._bytes_path(wanted), pattern, ignore_case=ignore_case, limit=limit)

    def listing(self, session_id: str = "") -> list[ArtifactInfo]:
        """What is there, of one session or of all, the newest first."""
        found: list[ArtifactInfo] = []
        for path in self._files():
            if path.suffix == ".json":
                with suppress(NoArtifact):
                    found.append(self.info(path.stem))
        chosen = [one for one in found if not session_id or one.session_id == session_id]
        return sorted(chosen, key=lambda one: (-one.created_at, one.id))

    # --- keeping house ------------------------------------------------------------------------------------------

    def expire(self, older_than_days: float = KEPT_DAYS) -> int:
        """Removes what is older, and what an interrupted `put` or capture left; the number of artifacts removed."""
        oldest_ns = self._clock.now_ns() - int(older_than_days * 86_400 * 1e9)
        removed = 0
        # The bytes before their description, which says how old they are.
        for path in sorted(self._files()):
            with suppress(OSError):
                if self._born_ns(path) < oldest_ns:
                    path.unlink()
                    removed += path.suffix == ".json"
        return removed

    def _files(self) -> list[Path]:
        with suppress(OSError):
            return [path for path in self.folder.iterdir() if _OURS.match(path.name)]
        return []

    def _born_ns(self, path: Path) -> int:
        if path.suffix in (".json", ".bin"):
            with suppress(NoArtifact):
                return self.info(path.stem).created_at
        return path.stat().st_mtime_ns

    def _bytes_path(self, wanted: str) -> Path:
        return self.folder / f"{wanted}.bin"

    def _info_path(self, wanted: str) -> Path:
        return self.folder / f"{wanted}.json"


def slice_of(identity: str, data: bytes, offset: int = 0, limit: int = MAX_READ_BYTES) -> ArtifactSlice:
    """A range of bytes that are in memory, by the same rules as `Artifacts.read`."""
    start = max(len(data) + offset, 0) if offset < 0 else min(offset, len(data))
    return _slice(identity, data[start : start + max(limit, MIN_READ_BYTES)], start, len(data))


def _slice(identity: str, data: bytes, start: int, size: int) -> ArtifactSlice:
    whole = data if start + len(data) >= size else data[: whole_characters(data)]
    return ArtifactSlice(
        id=identity,
        text=text_of(whole, cut_start=start > 0),
        offset=start,
        next_offset=start + len(whole),
        size=size,
    )


def _opened(data: bytes | Path) -> IO[bytes]:
    return io.BytesIO(data) if isinstance(data, bytes) else data.open("rb")


def _lines_in_blocks(source: IO[bytes]) -> Iterator[bytes]:
    """Blocks that end at a line's end where they can, so that a key is not torn apart before it is recognised."""
    rest = b""
    while block := source.read(_BLOCK):
        block = rest + block
        end = block.rfind(b"\n") + 1 if len(block) < 4 * _BLOCK else len(block)
        block, rest = block[:end], block[end:]
        if block:
            yield block
    if rest:
        yield rest
