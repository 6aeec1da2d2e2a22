"""The dialects, each as the text that opens it and a function that reads on from there.

A reader gets the text after its opener and returns the calls with where they end. It raises `NotACall` for what is cut off
or broken; the region from the opener on is then reported as an attempt and nothing of it runs.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from typing import TypeAlias

from kram.base import Json, JsonView

from .shapes import Named, calls_in
from .values import NotACall, as_arguments, call_node, json_at, keyword_call, one_newline_off, skip_space, typed

Schemas: TypeAlias = Mapping[str, JsonView]
Reader: TypeAlias = Callable[[re.Match[str], str, Schemas], tuple[list[Named], int]]

_NAME = r"[A-Za-z_][\w.-]*"


def _after(text: str, position: int, *closers: str) -> int:
    """Past one of the closers if it follows, else where we are."""
    at = skip_space(text, position)
    for closer in closers:
        if text.startswith(closer, at):
            return at + len(closer)
    return position


def tagged_json(opened: re.Match[str], text: str, schemas: Schemas) -> tuple[list[Named], int]:
    """`<tool_call>` and kin around JSON, around `<function=…>`, or around a name with `<arg_key>` pairs."""
    tag, position = opened["tag"], skip_space(text, opened.end())
    closer = f"</{tag}>"
    if inner := FUNCTION.match(text, position):
        calls, end = function(inner, text, schemas)
        return calls, _after(text, end, closer)
    if text.startswith(("{", "["), position):
        value, end = json_at(text, position)
        return calls_in(value), _after(text, end, closer)
    if tag == "tool_call" and (named := re.compile(rf"\s*(?P<name>{_NAME})\s*").match(text, position)):
        return _arg_pairs(named, text, closer, schemas)
    if tag == "function_calls" and closer in text[position:]:
        end = text.index(closer, position)
        return [keyword_call(text[position:end])], end + len(closer)
    raise NotACall(f"<{tag}> without a call")


def _arg_pairs(named: re.Match[str], text: str, closer: str, schemas: Schemas) -> tuple[list[Named], int]:
    end = text.find(closer, named.end())
    if end < 0:
        raise NotACall("never closed")
    body, schema = text[named.end() : end], schemas.get(named["name"], {})
    pairs = re.findall(r"<arg_key>(.*?)</arg_key>\s*<arg_value>(.*?)</arg_value>", body, re.DOTALL)
    if body.strip() and not pairs:
        raise NotACall("not a list of arguments")
    arguments = {key.strip(): typed(value, schema, key.strip()) for key, value in pairs}
    return [(named["name"], arguments)], end + len(closer)


FUNCTION = re.compile(rf"<(?P<kind>function|tool)(?:=|\s+name=\")(?P<name>{_NAME})\"?\s*>")
_PARAMETER = re.compile(r"<parameter(?:=|\s+name=\")(?P<name>[\w.-]+)\"?[^>]*>")


def function(opened: re.Match[str], text: str, schemas: Schemas) -> tuple[list[Named], int]:
    """`<function=name>` around JSON or around `<parameter=…>` values."""
    name, position = opened["name"], opened.end()
    closer = f"</{opened['kind']}>"
    if text.startswith("{", skip_space(text, position)):
        value, end = json_at(text, position)
        return [(name, as_arguments(value))], _after(text, end, closer)
    end = text.find(closer, position)
    if end < 0:
        raise NotACall("never closed")
    return [(name, _parameters(text[position:end], schemas.get(name, {})))], end + len(closer)


def _parameters(body: str, schema: JsonView) -> Json:
    """Each value runs to its own closer, or to the next parameter where a model forgot it."""
    arguments: Json = {}
    opened = list(_PARAMETER.finditer(body))
    for number, one in enumerate(opened):
        limit = opened[number + 1].start() if number + 1 < len(opened) else len(body)
        closed = body.rfind("</parameter>", one.end(), limit)
        value = body[one.end() : closed if closed >= 0 else limit]
        value = one_newline_off(value) if "\n" in value else value.strip()
        arguments[one["name"]] = typed(value, schema, one["name"])
    return arguments


def invoke(opened: re.Match[str], text: str, schemas: Schemas) -> tuple[list[Named], int]:
    """`<…function_calls>` around `<invoke name="…">` blocks with parameters."""
    prefix, position = opened["prefix"], opened.end()
    closer = f"</{prefix}{opened['tag']}>"
    end = text.find(closer, position)
    if end < 0:
        raise NotACall("never closed")
    inner = re.compile(
        rf"<(?:{re.escape(prefix)})?invoke name=\"(?P<name>{_NAME})\">(?P<body>.*?)</(?:{re.escape(prefix)})?invoke>",
        re.DOTALL,
    )
    calls: list[Named] = []
    for one in inner.finditer(text, position, end):
        body = one["body"].replace(f"<{prefix}parameter", "<parameter").replace(f"</{prefix}parameter", "</parameter")
        calls.append((one["name"], _dsml(body, schemas.get(one["name"], {}))))
    if not calls:
        raise NotACall("no call inside")
    return calls, end + len(closer)


def _dsml(body: str, schema: JsonView) -> Json:
    arguments = _parameters(body, schema)
    for name, said in re.findall(r"<parameter name=\"([\w.-]+)\" string=\"(true|false)\">", body):
        if said == "true" and not isinstance(arguments.get(name), str):
            raw = re.search(rf"<parameter name=\"{re.escape(name)}\"[^>]*>(.*?)</parameter>", body, re.DOTALL)
            arguments[name] = raw[1] if raw else arguments[name]
    return arguments


def kimi(opened: re.Match[str], text: str, schemas: Schemas) -> tuple[list[Named], int]:
    value, end = json_at(text, opened.end())
    end = _after(text, end, "<|tool_call_end|>")
    return [(opened["name"], as_arguments(value))], _after(text, end, "<|tool_calls_section_end|>")


def mistral(opened: re.Match[str], text: str, schemas: Schemas) -> tuple[list[Named], int]:
    """`[TOOL_CALLS]` before a JSON list, or before a name and its arguments."""
    position = skip_space(text, opened.end())
    if text.startswith("[", position):
        value, end = json_at(text, position)
        return calls_in(value), end
    named = re.compile(rf"(?P<name>{_NAME})(?:\[CALL_ID\][^\[]*)?(?:\[ARGS\])?\s*").match(text, position)
    if named is None:
        raise NotACall("no name")
    value, end = json_at(text, named.end())
    return [(named["name"], as_arguments(value))], end


def python_tag(opened: re.Match[str], text: str, schemas: Schemas) -> tuple[list[Named], int]:
    """Call syntax behind a Python marker: one call, or a list of them."""
    end = text.find("<|python_end|>", opened.end())
    body, after = (text[opened.end() :], len(text)) if end < 0 else (text[opened.end() : end], end + 14)
    body = body.strip()
    if not body.startswith("["):
        return [keyword_call(body)], after
    try:
        tree = ast.parse(body, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as failure:
        raise NotACall("not a complete list of calls") from failure
    if not isinstance(tree, ast.List):
        raise NotACall("not a list of calls")
    return [call_node(node) for node in tree.elts], after


def deepseek(opened: re.Match[str], text: str, schemas: Schemas) -> tuple[list[Named], int]:
    named = re.compile(rf"(?:function<｜tool▁sep｜>)?(?P<name>{_NAME})\s*(?:<｜tool▁sep｜>)?\s*(?:```json)?\s*").match(
        text, opened.end()
    )
    if named is None:
        raise NotACall("no name")
    value, end = json_at(text, named.end())
    end = _after(text, end, "```")
    end = _after(text, end, "<｜tool▁call▁end｜>")
    return [(named["name"], as_arguments(value))], _after(text, end, "<｜tool▁calls▁end｜>")


def json_after(opened: re.Match[str], text: str, schemas: Schemas) -> tuple[list[Named], int]:
    """A marker and a JSON list or object of calls."""
    value, end = json_at(text, opened.end())
    return calls_in(value), _after(text, end, "<|tools_suffix|>", "</tool_call>")


def named_json(opened: re.Match[str], text: str, schemas: Schemas) -> tuple[list[Named], int]:
    """A marker that names the tool, and its arguments as JSON."""
    value, end = json_at(text, opened.end())
    return [(opened["name"], as_arguments(value))], _after(text, end, "<|call|>", "<|end|>")


DIALECTS: tuple[tuple[re.Pattern[str], Reader], ...] = (
    (re.compile(r"<(?P<prefix>｜DSML｜|minimax:)(?P<tag>function_calls|tool_call)>"), invoke),
    (re.compile(r"<(?P<tag>tool_call|tools|function_call|function_calls|response|tool_use|tool)>"), tagged_json),
    (FUNCTION, function),
    (
        re.compile(
            rf"(?:<\|tool_calls_section_begin\|>\s*)?<\|tool_call_begin\|>\s*(?:functions\.)?(?P<name>{_NAME}):\d+\s*"
            r"<\|tool_call_argument_begin\|>"
        ),
        kimi,
    ),
    (re.compile(r"\[TOOL_CALLS\]"), mistral),
    (re.compile(r"<\|python_(?:tag|start)\|>"), python_tag),
    (re.compile(r"(?:<｜tool▁calls▁begin｜>\s*)?<｜tool▁call▁begin｜>|<｜tool▁calls(?:▁begin)?｜>"), deepseek),
    (re.compile(r"(?:^|(?<=\s))functools(?=\[)|<\|tools_prefix\|>|<\|tool_call\|>"), json_after),
    (re.compile(rf">>>(?P<name>{_NAME})\n(?=\s*\{{)"), named_json),
)
