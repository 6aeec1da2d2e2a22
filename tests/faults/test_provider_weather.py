"""A thousand turns over two providers while one attempt in ten fails in a random way: all of them finish, no tool runs twice,
no text is shown twice, nothing is lost. Seeded; real sockets, store and tools; time is skipped.
"""

from __future__ import annotations

import gzip
import json
import random
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from kram import events
from tests.support.byte_server import FIN, HOLD, RST, Request, Script, Step, answer, event, head
from tests.support.pair import good, pieces
from tests.support.pair_runtime import desk
from tests.support.swift import skip

TURNS = 1_000
A_SESSION = 25
RATE = 0.1
GO_ON = "Go on exactly where"


def whole(turn: int, step: int) -> str:
    """What the model says in a step; no word of it is said anywhere else."""
    return "".join(f"t{turn}s{step}w{word}\n" for word in range(6))


def works(turn: int) -> bool:
    """Every other turn does something; the rest is talk."""
    return turn % 2 == 0


def edit(turn: int) -> tuple[str, dict[str, Any]]:
    """An effect that would be seen if it came twice."""
    return ("edit_file", {"path": "log.txt", "edits": [{"old_string": "END", "new_string": f"turn {turn}\nEND"}]})


Fault = Callable[[random.Random, list[bytes]], Script]


def status(code: int, **headers: str) -> Fault:
    return lambda _rng, _parts: [answer({"error": {"message": "a bad day"}}, status=code, **headers)]


def cut_by(*end: Step) -> Fault:
    return lambda rng, parts: [head(), *parts[: rng.randint(0, len(parts) - 1)], *end]


def within(*bad: bytes) -> Fault:
    def fault(rng: random.Random, parts: list[bytes]) -> Script:
        at = rng.randint(0, len(parts) - 2)
        return [head(), *parts[:at], *bad, *parts[at:], FIN]

    return fault


FAULTS: dict[str, Fault] = {
    "P04": status(408),
    "P05": status(409),
    "P06": status(400),
    "P08": status(429, Retry_After="7"),
    "P09": status(429, Retry_After="next week", retry_after_ms="300"),
    "P10": status(503),
    "P10 overloaded": status(529),
    "P12": lambda _rng, _parts: [RST],
    "P13": cut_by(skip(0), RST),
    "P14": cut_by(FIN),
    "P15": cut_by(skip(31), skip(31), HOLD),
    "P17": within(b"data: " + b"x" * 1_100_000 + b"\n\n"),
    "P18": within(event('{"choices": [{')),
    "P18 error": within(event({"type": "error", "error": {"type": "overloaded_error", "message": "too busy"}})),
    "P19": lambda _rng, _parts: [answer(b"<html><title>Hotel</title></html>", content_type="text/html")],
    "P20": lambda _rng, _parts: [answer(b"")],
    "P20 half": lambda _rng, _parts: [answer(b'{"choices": [{"mess')],
    "P21": lambda _rng, _parts: [answer(b"OK", content_type="text/event-stream")],
    "P22": lambda _rng, parts: [answer(gzip.compress(b"".join(parts))[:-30], Content_Encoding="gzip")],
}


class Weather:
    """Both servers: a model that always knows what to say, behind a line that fails one time in ten."""

    def __init__(self, seed: int) -> None:
        self._rng = random.Random(seed)
        self.turn = 0
        self.met: Counter[str] = Counter()
        self.requests = 0

    def server(self, name: str) -> Callable[[Request], Script]:
        return lambda request: self._answer(name, request.json())

    def _answer(self, name: str, body: dict[str, Any]) -> Script:
        self.requests += 1
        text, calls = self._said(body)
        if self._rng.random() >= RATE:
            return good(text, name, calls, number=self.requests)
        fault = self._rng.choice(list(FAULTS))
        self.met[fault] += 1
        return FAULTS[fault](self._rng, pieces(text, name, calls))

    def _said(self, body: dict[str, Any]) -> tuple[str, list[tuple[str, dict[str, Any]]]]:
        messages = body["messages"]
        written = json.dumps(messages)
        since = written[written.rindex(f"This is turn {self.turn}.") :]
        step = 1 if works(self.turn) and '"role": "tool"' not in since and '"tool_result"' not in since else 2
        text = whole(self.turn, step)
        if GO_ON in since and self._rng.random() < 0.5:
            # Half of the models go on as they are asked, the others start over.
            text = text.removeprefix(_text_of(messages[-2]))
        return text, [edit(self.turn)] if step == 1 else []


def _text_of(message: dict[str, Any]) -> str:
    content = message["content"]
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """kram's own folder, in memory where the system has a place for that: how fast a disk flushes is not what is tried here."""
    memory = Path("/dev/shm")
    if not memory.is_dir():
        yield tmp_path / "home"
        return
    with tempfile.TemporaryDirectory(dir=memory) as made:
        yield Path(made)


async def test_a_thousand_turns_in_bad_weather(tmp_path: Path, home: Path) -> None:
    weather = Weather(seed=1)
    a, b = weather.server("a"), weather.server("b")
    async with desk(tmp_path, a, b, home=home, permission_mode="yolo") as world:
        log = world.workspace / "log.txt"
        log.write_text("END\n")
        for turn in range(TURNS):
            if turn and turn % A_SESSION == 0:
                world.runtime.new_session()
            weather.turn = turn
            world.heard.events.clear()
            result = await world.runtime.send(f"This is turn {turn}.")
            assert result.subtype == "success", (turn, result.error, weather.met)
            ran = world.heard.of(events.ToolFinished)
            assert [one.ok for one in ran] == [True] * works(turn), ran
            assert world.shown() == whole(turn, 1) * works(turn) + whole(turn, 2)
            assert result.text == whole(turn, 2)
        assert log.read_text() == "".join(f"turn {turn}\n" for turn in range(TURNS) if works(turn)) + "END\n"
        assert set(weather.met) == set(FAULTS)
        assert sum(weather.met.values()) > weather.requests * RATE * 0.8
        assert len(world.a.requests) > 100 < len(world.b.requests)
