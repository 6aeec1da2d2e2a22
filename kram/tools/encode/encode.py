"""One result in the encoding the person chose. Asked for after everything that needs the raw text has seen it."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, assert_never, get_args

from .csv_form import to_csv
from .tables import read
from .tight import to_tight
from .toon import to_json_toon, to_toon
from .yaml_form import to_yaml

Encoding: TypeAlias = Literal["none", "yaml", "toon", "csv", "json-toon", "tightc"]
ENCODINGS: tuple[Encoding, ...] = get_args(Encoding)


def encoded(text: str, encoding: Encoding) -> str:
    """The result rewritten; unchanged for `none`, and where the text is not one JSON value and nothing else."""
    if encoding == "none":
        return text
    is_json, value = read(text)
    return _written(value, text, encoding) if is_json else text


def _written(value: Any, raw: str, encoding: Encoding) -> str:
    match encoding:
        case "yaml":
            return to_yaml(value)
        case "toon":
            return to_toon(value)
        case "csv":
            return to_csv(value, raw)
        case "json-toon":
            return to_json_toon(value)
        case "tightc":
            return to_tight(value)
        case "none":
            return raw
        case _:
            assert_never(encoding)
