"""Shell text judged: never allowed where a sound checker asks or denies, and nearly always exactly as it says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kram.permissions import DEFAULTS, Call, Policy, Rule, Verdict, judge

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "permissions" / "commands.json"
FILE: dict[str, Any] = json.loads(DATA.read_text("utf-8")) if DATA.exists() else {"cases": [], "policies": {}}
CASES: list[dict[str, Any]] = FILE["cases"]

pytestmark = pytest.mark.skipif(not CASES, reason="the collected cases are not here")


def policy(name: str) -> Policy:
    found = FILE["policies"][name]
    rules = [
        Rule(tool="bash", pattern=pattern, decision=decision)
        for decision in ("allow", "ask", "deny")
        for pattern in found.get(decision, ())
    ]
    return Policy(default=found["default"], defaults={**DEFAULTS, "execute": "ask"}, rules=tuple(rules), everyday=False)


def judged(case: dict[str, Any], root: Path) -> Verdict:
    command = case["command"]
    call = Call(tool="bash", access="execute", command=command, subject=command, root=str(root))
    return judge(call, policy(case["policy"]))


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_nothing_unsafe_is_allowed(case: dict[str, Any], tmp_path: Path) -> None:
    verdict = judged(case, tmp_path)
    if verdict.decision == "allow":
        assert "allow" in [case["verdict"], *case.get("accept", ())], verdict.reason
        assert verdict.safe_command


def test_nearly_all_verdicts_are_exact(tmp_path: Path) -> None:
    wrong = [
        f"{case['id']} {case['command']!r}: {found} instead of {case['verdict']}"
        for case in CASES
        if (found := judged(case, tmp_path).decision) not in [case["verdict"], *case.get("accept", ())]
    ]
    assert len(wrong) <= len(CASES) * 5 // 100, "\n".join(wrong)
