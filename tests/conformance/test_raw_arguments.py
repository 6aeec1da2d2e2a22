"""Argument strings of real models: these arguments, or an error; never a shortened value."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kram.tools.arguments import Ready, Refused, prepare

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "toolcalls" / "raw-arguments.json"
CASES: list[dict[str, Any]] = json.loads(DATA.read_text("utf-8")) if DATA.exists() else []

pytestmark = pytest.mark.skipif(not CASES, reason="the collected cases are not here")


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_raw_arguments(case: dict[str, Any]) -> None:
    prepared = prepare("tool", case["raw_arguments"], case["parameters"])
    match case["outcome"]:
        case "args":
            assert isinstance(prepared, Ready), prepared.text
            assert prepared.args == case["expected"]
        case "error":
            assert isinstance(prepared, Refused)
            json.loads(prepared.stand_in)
        case _:
            assert isinstance(prepared, Refused) or prepared.args == case["expected"]
