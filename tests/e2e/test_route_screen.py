"""Who answers, in a real terminal: the route bar, the trace of a turn before and after a restart, the router's scores."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.program import Program
from tests.support.terminal import Terminal, kram_argv

BROKEN = 'version = 1\nend = "repeat"\n[[steps]]\nfault = { kind = "server_error" }\n'
SOUND = """version = 1
end = "repeat"
[[steps]]
text = "Good morning."
usage = { input = 1200, output = 5, cache_read = 600 }
"""


@pytest.fixture
def program(tmp_path: Path) -> Program:
    made = Program(tmp_path)
    (tmp_path / "first.toml").write_text(BROKEN)
    (tmp_path / "second.toml").write_text(SOUND)
    made.configure(
        f"""
        default_combo = "pair"
        [providers.first]
        kind = "script"
        script = "{tmp_path}/first.toml"
        [providers.first.models.broken]
        context_window = 100000
        [providers.second]
        kind = "script"
        script = "{tmp_path}/second.toml"
        [providers.second.models.sound]
        context_window = 100000
        [combos.pair]
        strategy = "priority"
        candidates = ["first/broken", "second/sound"]
        """
    )
    return made


def screen(program: Program, *args: str, columns: int = 120, rows: int = 40) -> Terminal:
    return Terminal(kram_argv(*args), cwd=program.workspace, env=program.environment(), columns=columns, rows=rows)


@pytest.mark.parametrize("size", [(120, 40), (80, 24)])
def test_a_fallback_is_seen_traced_and_still_known_after_a_restart(program: Program, size: tuple[int, int]) -> None:
    columns, rows = size
    with screen(program, columns=columns, rows=rows) as terminal:
        terminal.until("for commands")
        terminal.type("hello there\r")
        terminal.until("Good morning.")
        bar = terminal.until(lambda text: "PRIORITY" in text and "✕" in text and "✓" in text)
        assert "second/sound" in bar
        terminal.press("f3")
        terminal.until(lambda text: "Route of the turn" in text and "1 fallback" in text)
        terminal.press("f3")
        terminal.press("ctrl+c", "ctrl+c")
        terminal.ended()
    with screen(program, "-c", columns=columns, rows=rows) as terminal:
        terminal.until("Good morning.")
        terminal.type("once more\r")
        terminal.until(lambda text: text.count("Good morning.") == 2)
        terminal.press("f3")
        terminal.until(lambda text: "Turn 2 of 2" in text and "› once more" in text)
        terminal.type("\x1b[1;3A")
        terminal.until(lambda text: "Turn 1 of 2" in text and "› hello there" in text and "1 fallback" in text)


def test_the_strategy_panel_shows_scores_and_explains_one(program: Program) -> None:
    with screen(program) as terminal:
        terminal.until("for commands")
        terminal.type("hello\r")
        terminal.until("Good morning.")
        terminal.type("/strategy smart\r")
        terminal.until("routed by smart")
        terminal.type("\x1b[15~")
        text = terminal.until(lambda text: "pair · smart" in text and "reliability" in text and "total" in text)
        assert "second/sound" in text
        terminal.type("\x1b[1;3B")
        terminal.until(lambda text: "▸2. " in text)
        terminal.type("/strategy fast\r")
        terminal.until("pair · fast")
