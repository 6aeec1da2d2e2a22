"""The one base of data that travels: frozen, slotted, keyword-only, with JSON for free (msgspec)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import msgspec

Json: TypeAlias = dict[str, Any]
JsonView: TypeAlias = Mapping[str, Any]


class Data(msgspec.Struct, frozen=True, kw_only=True):
    """A frozen, slotted, keyword-only record; `msgspec.structs.replace` makes a changed copy."""
