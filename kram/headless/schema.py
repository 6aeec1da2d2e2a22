"""`--json-schema`: the final answer is one JSON value that fits a schema, checked here, asked for again where it does not."""

from __future__ import annotations

import json
from typing import Any

from kram.base import JsonView, UsageError

ATTEMPTS = 3


def schema_prompt(schema: JsonView) -> str:
    """What the model is told beforehand."""
    return (
        "Your final answer must be one JSON value and nothing else: no prose, no code fence. It must fit this JSON Schema:\n"
        + json.dumps(dict(schema), ensure_ascii=False)
    )


def check_schema(schema: Any, where: str) -> JsonView:
    """The schema itself; raises `UsageError` naming the file when it is none."""
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import SchemaError

    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as failure:
        raise UsageError(f"Not a JSON Schema: {failure.message}", where=where) from failure
    if not isinstance(schema, dict):
        raise UsageError("A JSON Schema must be an object here", where=where)
    return schema


def fitting_answer(text: str, schema: JsonView) -> tuple[str, str]:
    """The JSON text of a fitting answer and "", or "" and what is wrong with it. A code fence around it is forgiven."""
    from jsonschema import Draft202012Validator

    stripped = text.strip()
    if stripped.startswith("```"):
        stripped = stripped.split("\n", 1)[-1].rsplit("```", 1)[0].strip()
    try:
        value = json.loads(stripped)
    except ValueError as failure:
        return "", f"it is not JSON: {failure}"
    problem = next(iter(Draft202012Validator(dict(schema)).iter_errors(value)), None)
    if problem is not None:
        return "", f"{problem.json_path}: {problem.message}"
    return stripped, ""
