"""`python -m tests.bench.conversation [RUNS]`: figures of the conversation in a real pty against a bare Textual app.

open        loading 10,000 messages until the screen is usable
key echo    p95 from a key's byte to the bytes that show it, idle and while 100 tokens a second stream in
stream CPU  of one core while 100 tokens a second stream in, with and without 10,000 messages above
reply       80 KB of Markdown unpaced: time until laid out and on its way to the screen, and CPU
resize      120 -> 80 -> 120 columns until the screen is quiet, p95
memory      PSS after all of it
"""

from __future__ import annotations

import json
import os
import select
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from ptyprocess import PtyProcess

ROOT = Path(__file__).resolve().parents[2]
F5, F6, F7, F8 = b"\x1b[15~", b"\x1b[17~", b"\x1b[18~", b"\x1b[19~"
QUIET_S = 0.25
STREAM_S = 3.0


class Program:
    """A subject in a pty of 120 by 40; ended whatever happens."""

    def __init__(self, kind: str, messages: int) -> None:
        self.file = Path(tempfile.mkstemp(prefix="kram-bench-")[1])
        self.file.unlink()
        # The frame rate that kram itself asks Textual for.
        env = {**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor", "TEXTUAL_FPS": "120"}
        env["KRAM_BENCH_FILE"] = str(self.file)
        argv = [sys.executable, "-m", "tests.bench.subject", kind, str(messages)]
        self.process = PtyProcess.spawn(argv, cwd=str(ROOT), env=env, dimensions=(40, 120))

    def __enter__(self) -> Program:
        self.read(30)
        self.quiet(1.0)
        return self

    def __exit__(self, *_: object) -> None:
        self.process.terminate(force=True)
        self.file.unlink(missing_ok=True)

    def write(self, data: bytes) -> None:
        os.write(self.process.fd, data)

    def read(self, wait_s: float) -> bytes:
        if not select.select([self.process.fd], [], [], wait_s)[0]:
            return b""
        return os.read(self.process.fd, 1 << 16)

    def quiet(self, quiet_s: float = QUIET_S) -> float:
        """Reads until nothing comes for a while; the time of the last byte."""
        last = time.perf_counter()
        while self.read(quiet_s):
            last = time.perf_counter()
        return last

    def echo_ms(self, key: str) -> float:
        began = time.perf_counter()
        self.write(key.encode())
        while time.perf_counter() - began < 5:
            if key.encode() in self.read(1):
                return (time.perf_counter() - began) * 1000
        return 5000.0

    def cpu_share(self, seconds: float) -> float:
        """Of one core, in percent, over a stretch of time in which the output is read."""
        ticks = os.sysconf("SC_CLK_TCK")
        before, end = self._ticks(), time.perf_counter() + seconds
        while (left := end - time.perf_counter()) > 0:
            self.read(left)
        return (self._ticks() - before) / ticks / seconds * 100

    def _ticks(self) -> int:
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return int(fields[11]) + int(fields[12])

    def figures(self) -> dict[str, float]:
        self.file.unlink(missing_ok=True)
        self.write(F8)
        end = time.perf_counter() + 20
        while not self.file.exists() and time.perf_counter() < end:
            self.read(0.02)
        return json.loads(self.file.read_text())


def p95(values: list[float]) -> float:
    return sorted(values)[max(0, round(len(values) * 0.95) - 1)]


def echoes(program: Program, count: int = 40) -> float:
    """Keys at the pace of a fast typist; each is a letter that the screen does not show otherwise."""
    taken = []
    for number in range(count):
        taken.append(program.echo_ms("ÄÖÜÆØÞÐŁŽŠ"[number % 10]))
        program.read(0.06)
    return p95(taken)


def measure(kind: str, messages: int) -> dict[str, float]:
    with Program(kind, messages) as program:
        found = {"echo idle p95 ms": echoes(program), "idle CPU %": program.cpu_share(1.5)}
        program.write(F5)
        program.read(0.3)
        found["stream CPU %"] = program.cpu_share(STREAM_S)
        found["echo streaming p95 ms"] = echoes(program)
        program.write(F6)
        program.quiet()
        program.write(F7)
        program.quiet(1.0)
        taken = []
        for columns in (80, 120, 80, 120, 80, 120):
            began = time.perf_counter()
            program.process.setwinsize(40, columns)
            taken.append((program.quiet() - began) * 1000)
        found["resize p95 ms"] = p95(taken)
        figures = program.figures()
        names = {
            "open_ms": "open ms",
            "reply_ms": "80 KB reply ms",
            "reply_cpu_ms": "80 KB reply CPU ms",
            "pss_mb": "memory MB",
        }
        found |= {names[key]: value for key, value in figures.items() if key in names}
        return found


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    subjects: dict[str, Callable[[], dict[str, float]]] = {
        "bare Textual": lambda: measure("bare", 0),
        "empty session": lambda: measure("conversation", 0),
        "10,000 messages": lambda: measure("conversation", 10_000),
    }
    results = {name: [run() for _ in range(runs)] for name, run in subjects.items()}
    keys = list(dict.fromkeys(key for each in results.values() for one in each for key in one))
    print(f"{'median of ' + str(runs) + ' (spread)':<26}" + "".join(f"{name:>24}" for name in results))
    for key in keys:
        row = f"{key:<26}"
        for each in results.values():
            values = [one[key] for one in each if key in one]
            cell = f"{statistics.median(values):.1f} ({min(values):.1f}-{max(values):.1f})" if values else "-"
            row += f"{cell:>24}"
        print(row)


if __name__ == "__main__":
    main()
