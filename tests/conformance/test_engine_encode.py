"""Results re-encoded for a model (item A26), each case by its encoding."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from kram.tools.encode import ENCODINGS, encoded

FILE = '{"file":"a.go","#":[{"sym":"S","@":[22,35]}]}'
# What breaks lines beyond a newline is written by YAML's library in ways of its own.
WORDS = st.text(alphabet=st.characters(exclude_categories=("Cc", "Cs", "Zl", "Zp")), max_size=8)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | WORDS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WORDS, inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.parametrize(
    ("raw", "written"),
    [
        ('[{"id":1,"name":"a"},{"id":2,"name":"b"}]', "[2]id,name\n1,a\n2,b"),
        (
            '{"order":"O6","cust":{"id":9,"tier":"gold"},"items":[{"sku":"x","q":2}]}',
            "order:O6\ncust:{id:9,tier:gold}\nitems\n[1]sku,q\nx,2",
        ),
        ('{"num":"42","real":42}', 'num:"42",real:42'),
        ('{"pattern":"[a-z]+"}', 'pattern:"[a-z]+"'),
        ('{"a":{"z":1,"m":2}}', "a:{z:1,m:2}"),
        ("[1,2,3]", "[1,2,3]"),
        ('{"items":[{"a":1},{"a":2}],"after":true}', "items\n[2]a\n1\n2\n\nafter:true"),
        ('"one\\ntwo"', "one\ntwo"),
        ('[{"a":1},{"b":2}]', "[{a:1},{b:2}]"),
        ('{"a:b":"x y"}', '"a:b":"x y"'),
        ('{"big":12345678901234567890,"exp":1e400}', "big:12345678901234567890,exp:1e400"),
    ],
)
def test_a26_tight(raw: str, written: str) -> None:
    assert encoded(raw, "tightc") == written


def test_a26_toon_puts_the_table_under_its_key() -> None:
    assert encoded(FILE, "toon") == "file: a.go\n#[1]{@,sym}:\n[22,35],S"
    assert encoded('[{"b":1,"a":2}]', "toon") == "[1]{a,b}:\n2,1"


def test_a26_csv_has_its_scalars_above() -> None:
    written = encoded(FILE, "csv")
    assert written == '# file=a.go\n@,sym\n"[22,35]",S'
    assert encoded('{"a":{"b":1}}', "csv") == '{"a":{"b":1}}'
    assert encoded("42", "csv") == "42"


def test_a26_json_toon_stays_json() -> None:
    written = json.loads(encoded('{"x":{"rows":[{"b":1,"a":2},{"b":3,"a":4}]}}', "json-toon"))
    assert written["x"]["rows"].startswith("[2]{a,b}: 2,1 | 4,3")


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("raw", ["plain prose, not JSON", '{"file":', '{"a":1} and more', "", "[1,", "NaN"])
def test_a26_what_is_no_json_passes_unchanged(raw: str, encoding: Any) -> None:
    assert encoded(raw, encoding) == raw


@given(JSON)
def test_a26_yaml_means_the_same(value: Any) -> None:
    written = encoded(json.dumps(value), "yaml")
    assert not written.endswith("\n")
    assert yaml.safe_load(written) == value


@given(st.lists(st.fixed_dictionaries({"a": st.text(max_size=9), "b": st.integers()}), min_size=1, max_size=5))
def test_a26_csv_can_be_read_back(rows: list[dict[str, Any]]) -> None:
    rows = [{"a": row["a"].replace("\r", "").replace("\x00", ""), "b": row["b"]} for row in rows]
    written = encoded(json.dumps(rows), "csv")
    back = list(csv.DictReader(io.StringIO(written, newline="")))
    assert [{"a": row["a"], "b": int(row["b"])} for row in back] == rows


@given(JSON)
def test_a26_every_encoding_takes_every_value(value: Any) -> None:
    for encoding in ENCODINGS:
        assert isinstance(encoded(json.dumps(value), encoding), str)
