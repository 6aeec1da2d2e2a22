"""Models and the doctor in a real terminal: the list is there at once, what the server offers joins while it is open."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from tests.support.page_server import Asked, in_thread
from tests.support.program import Program
from tests.support.terminal import Terminal, kram_argv


@pytest.mark.parametrize("size", [(120, 40), (80, 24)])
def test_live_models_join_the_open_list_and_can_be_chosen(tmp_path: Path, size: tuple[int, int]) -> None:
    let_go = threading.Event()

    def listed(asked: Asked) -> Any:
        let_go.wait(20)
        return {"data": [{"id": "m", "max_model_len": 4_096}, {"id": "newer", "max_model_len": 65_536}]}

    with in_thread({"/v1/models": listed}) as server:
        kram = Program(tmp_path)
        kram.serve("openai-chat", f"{server.url}/v1")
        columns, rows = size
        with Terminal(kram_argv(), cwd=kram.workspace, env=kram.environment(), columns=columns, rows=rows) as terminal:
            terminal.until("for commands")
            terminal.type("/model\r")
            shown = terminal.until(lambda text: "Who answers" in text and "srv/m" in text)
            assert "newer" not in shown
            let_go.set()
            terminal.until(lambda text: "srv/newer" in text and "live list" in text)
            terminal.type("newer\r")
            terminal.until("Now srv/newer")


def test_the_doctor_shows_its_findings(tmp_path: Path) -> None:
    with in_thread({"/v1/models": {"data": [{"id": "m"}]}}) as server:
        kram = Program(tmp_path)
        kram.serve("openai-chat", f"{server.url}/v1")
        with Terminal(kram_argv(), cwd=kram.workspace, env=kram.environment()) as terminal:
            terminal.until("for commands")
            terminal.type("/doctor\r")
            shown = terminal.until(lambda text: "srv: answers in" in text and "storage" in text)
            assert "mode:" not in shown
            terminal.press("esc")
            terminal.until(lambda text: "srv: answers in" not in text)
