"""Edits as other agents' tests have them: applied exactly so, or refused with nothing changed."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from kram.workspace.edits import Edit, EditRefused, apply_edits
from kram.workspace.textfile import NotText, decode, encode

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "edits" / "cases.json"
ALL: list[dict[str, Any]] = json.loads(DATA.read_text("utf-8")) if DATA.exists() else []
CASES = [case for case in ALL if case["kind"] in ("edit", "multi_edit")]

pytestmark = pytest.mark.skipif(not CASES, reason="the collected cases are not here")


def before(case: dict[str, Any]) -> dict[str, bytes]:
    files = {path: text.encode() for path, text in case.get("files", {}).items()}
    return files | {path: base64.b64decode(data) for path, data in case.get("files_b64", {}).items()}


def edits_of(request: dict[str, Any]) -> list[Edit]:
    wanted = request.get("edits") or [request]
    return [
        Edit(old=one["old_string"], new=one["new_string"], all=bool(one.get("replace_all", False))) for one in wanted
    ]


class Made(Exception):
    """The file was made."""


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_edit(case: dict[str, Any]) -> None:
    files = before(case)
    path = case["request"]["path"]
    after = dict(files)
    outcome = "applied"
    try:
        if path not in files:
            # A file that is not there is made by an edit with an empty old text, as the tool does it.
            (only,) = edits_of(case["request"])
            if only.old:
                raise EditRefused("no such file")
            files[path], after[path] = b"", only.new.encode()
            raise Made
        file = decode(files[path])
        after[path] = encode(apply_edits(file.text, edits_of(case["request"])).text, file)
    except Made:
        pass
    except (EditRefused, NotText) as refusal:
        outcome = "error"
        assert str(refusal)
        assert after == files
    expected = case["expected"]
    accepted = case.get("accept") or [expected["outcome"]]
    if outcome == "error":
        assert "error" in accepted or "error-unchanged" in accepted
        return
    assert "applied" in accepted
    if expected.get("files"):
        wanted = expected["files"][path]
        assert after[path].decode("utf-8", "surrogateescape") == wanted
