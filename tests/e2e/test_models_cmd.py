"""`kram models` and `kram models test` as a script or a person sees them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.support.page_server import PageServer, Refusal, in_thread
from tests.support.program import Program
from tests.support.vendor import answered


@contextmanager
def program(folder: Path, pages: dict[str, Any]) -> Iterator[Program]:
    with in_thread(pages) as server:
        made = Program(folder)
        made.configure(config(server))
        yield made


def config(server: PageServer) -> str:
    return f"""
        [providers.good]
        kind = "openai-chat"
        base_url = "{server.url}/v1"
        key_optional = true
        [providers.good.models.m]
        price = {{ input = 1.5, output = 6.0 }}
        [providers.gone]
        kind = "openai-chat"
        base_url = "http://127.0.0.1:9/v1"
        key_optional = true
        [providers.anthropic]
        [combos.main]
        strategy = "smart"
        candidates = ["good/m", "gone/x", "anthropic/claude-sonnet-4-5"]
        [combos.broken]
        candidates = ["gone/x"]
        """


LISTED = {"/v1/models": {"data": [{"id": "m", "max_model_len": 32768}, {"id": "other", "max_model_len": 8192}]}}
GOOD = {**LISTED, "/v1/chat/completions": answered("openai-chat", "ready")[0]}


def test_what_is_usable_and_why_the_rest_is_not(tmp_path: Path) -> None:
    with program(tmp_path, LISTED) as kram:
        done = kram.run("models")
    assert done.code == 0
    for words in ("good/m", "32k", "$1.5/$6", "other", "live list", "connection refused", "its key is missing"):
        assert words in done.out
    assert "✕ gone/x: " in done.out
    assert "ANTHROPIC_API_KEY" in done.err


def test_as_json(tmp_path: Path) -> None:
    with program(tmp_path, LISTED) as kram:
        told = json.loads(kram.run("models", "--json").out)
    choices = {one["name"]: one for one in told["choices"]}
    accounts = {one["name"]: one for one in told["accounts"]}
    assert (choices["good/m"]["context_window"], choices["good/m"]["live"]) == (32768, False)
    assert choices["good/other"]["live"]
    assert choices["main"]["why_not"] == ""
    assert "refused" in choices["broken"]["why_not"]
    assert [accounts[name]["state"] for name in ("good", "gone", "anthropic")] == ["ok", "down", "down"]


def test_every_candidate_is_asked_and_each_failure_has_a_name(tmp_path: Path) -> None:
    with program(tmp_path, GOOD) as kram:
        done = kram.run("models", "test", "main")
    assert done.code == 0
    rows = {line.split()[1]: line.split() for line in done.out.splitlines()[1:4]}
    assert rows["good/m"][0] == "ok"
    assert "125 in, 30 out" in done.out
    assert (rows["gone/x"][0], rows["anthropic/claude-sonnet-4-5"][0]) == ("network", "auth")
    assert "Start the server at http://127.0.0.1:9/v1" in done.out


def test_nobody_answering_is_a_failure_for_scripts(tmp_path: Path) -> None:
    with program(tmp_path, {**LISTED, "/v1/chat/completions": Refusal(500, {"error": {"message": "broken"}})}) as kram:
        assert kram.run("models", "test", "good/m").code == 1
        done = kram.run("models", "test", "good/m", "--json")
        assert kram.run("models", "test", "nonsense").code == 2
    assert done.code == 1
    assert json.loads(done.out)["kind"] == "server_error"
