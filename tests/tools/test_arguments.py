"""The argument gate: repaired where that is safe, refused where it is not, always storable."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kram.tools.arguments import Ready, Refused, prepare

FREE = {"type": "object"}


def ready(raw: str) -> dict[str, object]:
    prepared = prepare("t", raw, FREE)
    assert isinstance(prepared, Ready), prepared.text
    assert json.loads(prepared.text) == prepared.args
    return prepared.args


def refused(raw: str, schema: dict[str, object] | None = None) -> str:
    prepared = prepare("t", raw, schema or FREE)
    assert isinstance(prepared, Refused)
    stand_in = json.loads(prepared.stand_in)
    assert stand_in["_error"] == prepared.text
    assert raw.endswith(stand_in["_tail"])
    assert "NOT executed" in prepared.text
    return prepared.text


@pytest.mark.parametrize(
    ("raw", "args"),
    [
        ("", {}),
        ("  \n", {}),
        ('{"a":1,}', {"a": 1}),
        ("{'p':'x'}", {"p": "x"}),
        ('{p:"x"}', {"p": "x"}),
        ('{"f":True,"n":[None,False,]}', {"f": True, "n": [None, False]}),
        ('```json\n{"a": 1}\n```', {"a": 1}),
        ('"a": 1', {"a": 1}),
        ('{"s": "{1,2,}", "t": "True, None"}', {"s": "{1,2,}", "t": "True, None"}),
        ("{'s': 'say \"hi\"', 'q': 'it\\'s'}", {"s": 'say "hi"', "q": "it's"}),
        ('{"text": "a\nb"}', {"text": "a\nb"}),
        ('"{\\"a\\": 1}"', {"a": 1}),
        ('{ "n": 12345678901234567890 }', {"n": 12345678901234567890}),
    ],
)
def test_repaired_without_touching_strings(raw: str, args: dict[str, object]) -> None:
    assert ready(raw) == args


@pytest.mark.parametrize(
    "raw",
    ['{"path":"a","content":"class {', "{", '{"a":', "{p:'a', c:'class {", '{"a": [1, 2', '{"a": tru', "{'a': 'x\\"],
)
def test_what_is_cut_off_is_refused_and_never_completed(raw: str) -> None:
    assert "Truncation detected" in refused(raw)


@pytest.mark.parametrize("raw", ['{"a": }', '{"a": 1}}', '{"a" 1 "b"}', "{]", '{"a": @}'])
def test_what_is_malformed_is_not_called_truncated(raw: str) -> None:
    assert "Truncation" not in refused(raw)


@pytest.mark.parametrize(("raw", "kind"), [('"x"', "string"), ("[1]", "array"), ("42", "number"), ("null", "null")])
def test_anything_but_an_object_is_refused_by_name(raw: str, kind: str) -> None:
    assert kind in refused(raw)


def test_a_stand_in_stays_small() -> None:
    prepared = prepare("t", '{"a": "' + "x" * 5_000, FREE)
    assert isinstance(prepared, Refused)
    assert len(prepared.stand_in) < 2_000


REPLY = {
    "type": "object",
    "properties": {"reply": {"type": "string"}, "count": {"type": "integer"}, "issues": {"type": "array"}},
    "required": ["reply", "issues"],
}


def test_missing_and_mistyped_arguments_are_named() -> None:
    assert "missing issues, reply" in refused("{}", REPLY)
    assert "reply should be string, got number" in refused('{"reply": 1, "issues": []}', REPLY)
    assert "missing issues" in refused('{"reply": "x", "issues": null}', REPLY)
    assert isinstance(prepare("t", '{"reply": "x", "issues": [], "count": null}', REPLY), Ready)


def test_the_whole_schema_counts() -> None:
    schema = {"type": "object", "properties": {"mode": {"type": "string", "enum": ["a", "b"]}}}
    assert "mode" in refused('{"mode": "c"}', schema)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(st.dictionaries(st.text(), VALUES, min_size=1), st.data())
def test_no_prefix_of_valid_arguments_ever_runs(value: dict[str, object], data: st.DataObject) -> None:
    text = json.dumps(value)
    cut = data.draw(st.integers(1, len(text) - 1))
    assert isinstance(prepare("t", text[:cut], FREE), Refused)
