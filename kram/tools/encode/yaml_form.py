"""YAML: any JSON value, one line a leaf."""

from __future__ import annotations

from typing import Any

from .tables import Number


def to_yaml(value: Any) -> str:
    import yaml

    class Dumper(yaml.SafeDumper):
        """Writes a number as it stood in the JSON."""

        def ignore_aliases(self, data: Any) -> bool:
            return True

    def number(dumper: yaml.SafeDumper, data: Number) -> yaml.Node:
        tag = "tag:yaml.org,2002:float" if set(data) & set(".eE") else "tag:yaml.org,2002:int"
        return dumper.represent_scalar(tag, str(data))

    Dumper.add_representer(Number, number)
    text = yaml.dump(value, Dumper=Dumper, allow_unicode=True, sort_keys=False, width=10_000)
    return text.removesuffix("\n").removesuffix("\n...")
