"""A real terminal for tests: kram in a pty, its output read by a terminal emulator, waiting only for conditions."""

from __future__ import annotations

import os
import select
import signal
import sys
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType

import pyte
from ptyprocess import PtyProcess

DEADLINE_S = 30.0

KEYS = {
    "enter": b"\r",
    "esc": b"\x1b",
    "tab": b"\t",
    "shift+tab": b"\x1b[Z",
    "up": b"\x1b[A",
    "down": b"\x1b[B",
    "home": b"\x1b[H",
    "end": b"\x1b[F",
    "pgup": b"\x1b[5~",
    "pgdn": b"\x1b[6~",
    "f2": b"\x1bOQ",
    "f3": b"\x1bOR",
    "f4": b"\x1bOS",
    "alt+enter": b"\x1b\r",
    **{f"ctrl+{letter}": bytes([ord(letter) - 96]) for letter in "abcdefghijklmnopqrstuvwxyz"},
}


class Terminal:
    """One program in a pty of a given size. Used as a context manager: whatever happens, the program is ended."""

    def __init__(
        self, argv: Sequence[str], *, cwd: Path, env: Mapping[str, str], columns: int = 120, rows: int = 40
    ) -> None:
        self.screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self.screen)
        self.raw = bytearray()
        full_env = {**env, "TERM": "xterm-256color", "COLORTERM": "truecolor"}
        self.process = PtyProcess.spawn(list(argv), cwd=str(cwd), env=full_env, dimensions=(rows, columns))
        self._master = self.process.fd

    def __enter__(self) -> Terminal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.process.kill(signal.SIGTERM)
        end = time.monotonic() + 5
        while self.process.isalive() and time.monotonic() < end:
            self._read(0.05)
        self.process.close(force=True)

    # --- what a person does -------------------------------------------------------------------------------------

    def type(self, text: str) -> None:
        self._write(text.encode())

    def press(self, *names: str) -> None:
        for name in names:
            self._write(KEYS[name] if name in KEYS else name.encode())

    def paste(self, text: str) -> None:
        self._write(b"\x1b[200~" + text.encode() + b"\x1b[201~")

    def resize(self, columns: int, rows: int) -> None:
        self.screen.resize(rows, columns)
        self.process.setwinsize(rows, columns)

    # --- what a person sees -------------------------------------------------------------------------------------

    def text(self) -> str:
        self._read(0.02)
        return "\n".join(line.rstrip() for line in self.screen.display)

    def until(self, wanted: str | Callable[[str], bool], *, deadline_s: float = DEADLINE_S) -> str:
        """Waits until the screen shows a text or fits a condition; fails with the screen otherwise."""
        fits = wanted if callable(wanted) else lambda screen: wanted in screen
        end = time.monotonic() + deadline_s
        while True:
            screen = self.text()
            if fits(screen):
                return screen
            if time.monotonic() > end or (not self.process.isalive() and not self._read(0.05)):
                raise AssertionError(f"waited for {wanted!r}; the screen is:\n{screen}\n({self.process.exitstatus})")
            self._read(0.1)

    def ended(self, *, deadline_s: float = DEADLINE_S) -> int:
        """Waits for the program's end and returns its exit code."""
        end = time.monotonic() + deadline_s
        while self.process.isalive():
            if time.monotonic() > end:
                raise AssertionError(f"still running; the screen is:\n{self.text()}")
            self._read(0.05)
        self._read(0.05)
        if self.process.exitstatus is None:
            return -int(self.process.signalstatus or 0)
        return int(self.process.exitstatus)

    def modes(self) -> list[int]:
        """The terminal's attributes, for comparing before and after."""
        return [flag for flag in termios.tcgetattr(self._master)[:4] if isinstance(flag, int)]

    # --- the pty ------------------------------------------------------------------------------------------------

    def _write(self, data: bytes) -> None:
        while data:
            _, writable, _ = select.select([], [self._master], [], 1)
            if writable:
                data = data[os.write(self._master, data[:4096]) :]
            self._read(0)

    def _read(self, wait_s: float) -> bool:
        got = False
        while select.select([self._master], [], [], 0 if got else wait_s)[0]:
            try:
                data = os.read(self._master, 65536)
            except OSError:
                return got
            if not data:
                return got
            got = True
            self.raw += data
            self._stream.feed(data)
        return got


def kram_argv(*args: str) -> list[str]:
    """kram as a program of this environment."""
    return [sys.executable, "-m", "kram", *args]


def clean_env(home: Path, **extra: str) -> dict[str, str]:
    """An environment without keys, with every folder of kram below `home`."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL", "TMPDIR") if name in os.environ}
    return {**kept, "HOME": str(home), "KRAM_HOME": str(home / "kram"), "LANG": "C.UTF-8", **extra}
