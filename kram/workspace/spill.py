"""Output of any length in bounded memory: all of it while it is short, then its head and tail, and the whole in a file.

The file lies in a private folder and stops growing at a cap; from then on only the tail goes on. Bytes are kept as they
came; text is cut only between characters.
"""

from __future__ import annotations

import codecs
import os
import tempfile
from contextlib import suppress
from pathlib import Path

INLINE_BYTES = 50_000
DISK_BYTES = 200_000_000
_BLOCK = 65_536


class Capture:
    """`feed` as the output comes, then look. Whoever holds it calls `discard` or takes the file with `take_file`.

    `total_bytes` counts everything that came, `file_bytes` what the file holds. `problem` says why it holds less.
    """

    def __init__(self, folder: Path, *, inline_bytes: int = INLINE_BYTES, disk_bytes: int = DISK_BYTES) -> None:
        self._folder = folder
        self._inline_bytes = inline_bytes
        self._disk_bytes = disk_bytes
        self._head = bytearray()
        self._tail = bytearray()
        self._path: Path | None = None
        self._descriptor = -1
        self.total_bytes = 0
        self.file_bytes = 0
        self.problem = ""

    @property
    def spilled(self) -> bool:
        """Whether there was more than memory keeps."""
        return self.total_bytes > self._inline_bytes

    def feed(self, chunk: bytes) -> None:
        if not chunk:
            return
        before = self.total_bytes
        self.total_bytes += len(chunk)
        if self.spilled and before <= self._inline_bytes:
            self._open()
            self._store(bytes(self._head))
        if self.spilled:
            self._store(chunk)
        room = self._inline_bytes - len(self._head)
        self._head += chunk[:room]
        self._keep_tail(chunk[max(room, 0) :])

    def _keep_tail(self, chunk: bytes) -> None:
        self._tail += chunk[-self._inline_bytes :]
        # Cutting only now and then keeps the work per byte constant.
        if len(self._tail) > 2 * self._inline_bytes + _BLOCK:
            del self._tail[: -self._inline_bytes]

    def _open(self) -> None:
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            # mkstemp makes a file of its own name that only its owner may read, whatever lies in the folder.
            self._descriptor, name = tempfile.mkstemp(prefix="spill-", dir=self._folder)
            self._path = Path(name)
        except OSError as failure:
            self.problem = f"it could not be saved: {failure.strerror}"

    def _store(self, data: bytes) -> None:
        if self._descriptor < 0:
            return
        room = self._disk_bytes - self.file_bytes
        if room < len(data):
            data = data[: max(room, 0)]
            self.problem = f"only its first {self._disk_bytes} bytes were saved"
        try:
            left = memoryview(data)
            while left:
                written = os.write(self._descriptor, left)
                left = left[written:]
                self.file_bytes += written
        except OSError as failure:
            self.problem = f"only its first {self.file_bytes} bytes were saved: {failure.strerror}"
        if self.problem:
            self._close()

    # --- looking ------------------------------------------------------------------------------------------------

    def head(self) -> bytes:
        """The first bytes, all there is if nothing was spilled."""
        return bytes(self._head)

    def tail(self) -> bytes:
        """The last bytes beyond the head; with the head it is everything where `hidden_bytes` is 0."""
        return bytes(self._tail[-self._inline_bytes :])

    @property
    def hidden_bytes(self) -> int:
        """How much lies between head and tail."""
        return self.total_bytes - len(self._head) - min(len(self._tail), self._inline_bytes)

    def take_file(self) -> Path | None:
        """The file with the whole, now the caller's; None where nothing was spilled or could be stored."""
        self._close()
        path, self._path = self._path, None
        return path

    def discard(self) -> None:
        """Removes the file. May be called twice."""
        path = self.take_file()
        if path is not None:
            with suppress(OSError):
                path.unlink()

    def _close(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def text_of(data: bytes, *, cut_start: bool = False, cut_end: bool = False) -> str:
    """UTF-8 text with a replacement character for what is none. Half a character at a cut end is left out."""
    if cut_start:
        data = data[_first_whole(data) :]
    return data[: whole_characters(data) if cut_end else None].decode("utf-8", "replace")


def _first_whole(data: bytes) -> int:
    """How many bytes at the start continue a character that began before."""
    for index in range(min(3, len(data))):
        if data[index] & 0xC0 != 0x80:
            return index
    return min(3, len(data))


def whole_characters(data: bytes) -> int:
    """The length without a character that is only begun at the end."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    decoder.decode(data[-4:])
    return len(data) - len(decoder.getstate()[0])


def not_utf8(data: bytes) -> int:
    """How many places are no UTF-8."""
    replaced = data.decode("utf-8", "replace").count("\ufffd")
    return replaced - data.count("\ufffd".encode()) if replaced else 0
