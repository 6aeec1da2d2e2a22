"""`kill -9` at random moments of a turn: the session opens, nothing completed is missing, the next request is acceptable."""

from __future__ import annotations

import json
import random
import signal
from pathlib import Path

import pytest

from tests.support.byte_server import HOLD, ByteServer, Script, Sleep, head
from tests.support.program import Program
from tests.support.strict import assert_acceptable
from tests.support.vendor import answered, base_url

STEPS = 6
KILLS = 10


def turn() -> list[Script]:
    """Steps of one turn, each sent in pieces so that a kill finds every state: streaming, calling, running, storing."""
    scripts: list[Script] = []
    for number in range(STEPS):
        calls = [
            ("write_file", {"path": f"out{number}.txt", "content": f"step {number}\n"}),
            ("bash", {"command": f"sleep 0.05; echo done {number} >> log.txt; echo ran {number}"}),
        ]
        (whole,) = answered("anthropic", f"Step {number}.\n" * 5, calls, number=number)
        assert isinstance(whole, bytes)
        body = whole.partition(b"\r\n\r\n")[2]
        pieces = [body[start : start + 400] for start in range(0, len(body), 400)]
        paced: list[bytes | Sleep] = [head()]
        for piece in pieces:
            paced += [piece, Sleep(0.01)]
        scripts.append(paced)
    scripts.append([head(), HOLD])
    return scripts


@pytest.mark.parametrize("seed", range(KILLS))
def test_kill_at_a_random_moment(tmp_path: Path, seed: int) -> None:
    program = Program(tmp_path)
    rng = random.Random(seed)
    told: list[dict[str, object]] = []
    stop_after = rng.randrange(3, 60)
    with ByteServer(turn()) as server:
        program.serve("anthropic", base_url("anthropic", server.url))
        running = program.start(
            "-p", "go", "--output-format", "stream-json", "--include-partial-messages", "--permission-mode", "auto"
        )
        assert running.stdout is not None
        for line in running.stdout:
            told.append(json.loads(line))
            if len(told) >= stop_after:
                break
        running.send_signal(signal.SIGKILL)
        running.communicate()
    finished = [event for event in told if event["type"] == "tool_result"]
    with ByteServer([answered("anthropic", "Back.")]) as server:
        program.serve("anthropic", base_url("anthropic", server.url))
        done = program.run("-p", "go on", "-c", "--output-format", "json")
        assert done.code == 0, done.err
        body = server.requests[0].json()
    assert_acceptable("anthropic", body)
    results = {
        block["tool_use_id"]: json.dumps(block)
        for message in body["messages"]
        for block in message["content"]
        if block["type"] == "tool_result"
    }
    for event in finished:
        assert str(event["id"]) in results
        assert str(event["text"]).splitlines()[0][:40].replace('"', '\\"') in results[str(event["id"])]
    said = json.dumps(body)
    assert "go on" in said
