"""Tool calls as real models write them in text: exactly these calls, or none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kram.tools.textcalls import read_text_calls

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "toolcalls" / "text-calls.json"
CASES: list[dict[str, Any]] = json.loads(DATA.read_text("utf-8")) if DATA.exists() else []

pytestmark = pytest.mark.skipif(not CASES, reason="the collected cases are not here")


def schemas(case: dict[str, Any]) -> dict[str, Any]:
    tools = (tool.get("function", tool) for tool in case["tools"])
    return {tool["name"]: tool.get("parameters", {}) for tool in tools}


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_text_call(case: dict[str, Any]) -> None:
    read = read_text_calls(case["output"], schemas(case))
    calls = [{"name": call.name, "arguments": call.arguments} for call in read.calls]
    if case["outcome"] == "either":
        assert calls in [accepted["tool_calls"] for accepted in case["accept"]]
        return
    expected = case["expected"]
    assert calls == expected["tool_calls"]
    if case["outcome"] == "no-execute":
        assert read.problem or read.text.strip()
    if expected.get("text") is not None:
        assert read.text.strip() == expected["text"].strip()
    if expected.get("reasoning") is not None:
        assert read.reasoning.strip() == expected["reasoning"].strip()
