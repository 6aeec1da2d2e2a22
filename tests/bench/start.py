"""`python -m tests.bench.start [RUNS]`: from the start of the program to the first frame, the first key echoed, the first reply.

Medians and spread over real starts in a pty, with the scripted model; beside them the bare start of Python and of an
empty Textual app in the same run.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tests.support.terminal import Terminal, clean_env, kram_argv

BARE = (
    "from textual.app import App\nfrom textual.widgets import Input\n"
    "class Bare(App):\n    AUTO_FOCUS = 'Input'\n    def compose(self):\n        yield Input()\nBare().run()"
)
SCRIPT = 'version = 1\n[[steps]]\nrepeat = 0\ntext = "The reply is here."\n'


def seen(terminal: Terminal, fits: Callable[[str], bool], began: float) -> float:
    """Milliseconds until the screen fits."""
    while not fits("\n".join(terminal.screen.display)):
        terminal.text()
        if time.monotonic() - began > 30:
            raise SystemExit("nothing came within 30 s")
    return (time.monotonic() - began) * 1000


def started(argv: list[str], folder: Path, marks: dict[str, tuple[str, Callable[[str], bool]]]) -> dict[str, float]:
    """Types what each mark says once the one before was seen; returns the time of each."""
    began = time.monotonic()
    with Terminal(argv, cwd=folder, env=clean_env(folder)) as terminal:
        times = {}
        for name, (keys, fits) in marks.items():
            terminal.type(keys)
            times[name] = seen(terminal, fits, began)
        return times


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    rows: dict[str, list[float]] = {}
    for _ in range(runs):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "script.toml").write_text(SCRIPT)
            kram = started(
                kram_argv("--script", str(folder / "script.toml")),
                folder,
                {
                    "first frame": ("", lambda text: "›" in text),
                    "first key echoed": ("q", lambda text: "› q" in text),
                    "first reply": ("\r", lambda text: "The reply is here." in text),
                },
            )
            bare = started(
                [sys.executable, "-c", BARE],
                folder,
                {"bare Textual, key echoed": ("q", lambda t: "▔" in t and "q" in t)},
            )
            python = started([sys.executable, "-c", "print('up')"], folder, {"bare Python": ("", lambda t: "up" in t)})
            for key, value in {**kram, **bare, **python}.items():
                rows.setdefault(key, []).append(value)
    print(f"{'':<28}{'median':>8}{'min':>8}{'max':>8}   ms, {runs} runs")
    for key, values in rows.items():
        print(f"{key:<28}{statistics.median(values):>8.0f}{min(values):>8.0f}{max(values):>8.0f}")


if __name__ == "__main__":
    main()
