"""The few facts kram needs from the head of a GGUF model file, read without loading it. Format: the GGUF specification
of the ggml project, versions 2 and 3, little-endian.
"""

from __future__ import annotations

import re
import struct
from pathlib import Path
from typing import Any, BinaryIO

from kram.base import Data

_MAGIC = b"GGUF"
_SCALARS = {0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q", 12: "<d"}
_STRING, _ARRAY = 8, 9
_MAX_TEXT = 4 * 1024 * 1024
_MAX_KEYS = 4096
_SIZE_IN_NAME = re.compile(r"(?<![A-Za-z0-9])(\d+(?:\.\d+)?[MB])(?![A-Za-z0-9])", re.IGNORECASE)


class ModelFacts(Data):
    """`context_length` is what the model was trained for, 0 where the file does not say; `size` is like "135M"."""

    name: str = ""
    architecture: str = ""
    context_length: int = 0
    size: str = ""


def read_facts(path: Path) -> ModelFacts:
    """Raises `OSError` where the file cannot be read and `ValueError` where it is no GGUF file."""
    with path.open("rb") as file:
        if file.read(4) != _MAGIC:
            raise ValueError(f"{path} is not a GGUF file")
        try:
            found = _head(file)
        except (struct.error, UnicodeDecodeError) as error:
            raise ValueError(f"{path} is a damaged GGUF file") from error
    architecture = str(found.get("general.architecture") or "")
    length = found.get(f"{architecture}.context_length")
    named = _SIZE_IN_NAME.search(path.stem)
    return ModelFacts(
        name=str(found.get("general.name") or path.stem),
        architecture=architecture,
        context_length=length if isinstance(length, int) else 0,
        size=str(found.get("general.size_label") or (named.group(1).upper() if named else "")),
    )


def _head(file: BinaryIO) -> dict[str, Any]:
    """Keys up to the tokenizer's, which are large and stand last."""
    version, _tensors, keys = struct.unpack("<IQQ", file.read(20))
    if version not in (2, 3):
        raise ValueError(f"GGUF version {version} is not known")
    found: dict[str, Any] = {}
    for _ in range(min(keys, _MAX_KEYS)):
        key = _text(file)
        if key.startswith("tokenizer."):
            break
        found[key] = _value(file, _number(file, "<I"))
    return found


def _value(file: BinaryIO, kind: int) -> Any:
    if kind == _STRING:
        return _text(file)
    if kind == _ARRAY:
        inner, count = _number(file, "<I"), _number(file, "<Q")
        if count > _MAX_TEXT:
            raise ValueError("A list in the GGUF file is too long")
        return [_value(file, inner) for _ in range(count)]
    if kind not in _SCALARS:
        raise ValueError(f"GGUF value type {kind} is not known")
    return _number(file, _SCALARS[kind])


def _text(file: BinaryIO) -> str:
    length = _number(file, "<Q")
    if length > _MAX_TEXT:
        raise ValueError("A text in the GGUF file is too long")
    return file.read(length).decode("utf-8", errors="replace")


def _number(file: BinaryIO, form: str) -> Any:
    return struct.unpack(form, file.read(struct.calcsize(form)))[0]
