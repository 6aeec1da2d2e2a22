"""The `messages` of a request as our system segments and messages. Pure.

Neighbours of one role become one message; results of tools live in user messages. What a model thought comes back in
`reasoning_details` (with its proof) or `reasoning_content`, as this endpoint gave it (see `answer`).
"""

from __future__ import annotations

import re
from typing import Any

from kram.base import Json
from kram.messages import Block, ImageBlock, Message, Role, TextBlock, ThinkingBlock, ToolResultBlock, ToolUseBlock

from .fields import items, table, text, wrong
from .problems import Problem

_DATA_URL = re.compile(r"data:(image/[a-z0-9.+-]+);base64,([A-Za-z0-9+/=_\s-]+)", re.IGNORECASE)


def conversation(found: Any) -> tuple[tuple[str, ...], tuple[Message, ...]]:
    """System segments and messages. Raises `Problem` for what is no conversation.

    Leading system and developer messages are the system text. A later one keeps its place: it is told to the model inside the
    user's next message, since to move it to the front would change what it refers to.
    """
    given = items(found, "messages")
    if not given:
        raise Problem("`messages` is empty: there is nothing to answer", param="messages")
    system: list[str] = []
    spoken: list[tuple[Role, list[Block]]] = []
    names: dict[str, str] = {}
    for place, one in enumerate(given):
        param = f"messages[{place}]"
        message = table(one, param)
        match message.get("role"):
            case "system" | "developer":
                said = _text_only(message.get("content"), f"{param}.content")
                if not spoken:
                    system.append(said)
                elif said.strip():
                    _say(spoken, "user", [TextBlock(text=f"<system>\n{said}\n</system>")])
            case "user":
                _say(spoken, "user", _content(message.get("content"), f"{param}.content"))
            case "assistant":
                _say(spoken, "assistant", _assistant(message, param, names))
            case "tool":
                _say(spoken, "user", [_result(message, param, names)])
            case "function":
                raise Problem(f"{param}: role 'function' is not supported. Use 'tool'", param=f"{param}.role")
            case other:
                raise wrong(f"{param}.role", "'system', 'developer', 'user', 'assistant' or 'tool'", other)
    messages = tuple(Message(role=role, content=tuple(content)) for role, content in spoken if content)
    if not messages:
        raise Problem("`messages` holds no word of a user: there is nothing to answer", param="messages")
    return tuple(part for part in system if part.strip()), messages


def _say(spoken: list[tuple[Role, list[Block]]], role: Role, content: list[Block]) -> None:
    if spoken and spoken[-1][0] == role:
        spoken[-1][1].extend(content)
    else:
        spoken.append((role, content))


def _text_only(found: Any, param: str) -> str:
    if isinstance(found, str):
        return found
    return "\n\n".join(
        text(table(part, f"{param}[{place}]").get("text"), f"{param}[{place}].text")
        for place, part in enumerate(items(found, param))
    )


def _content(found: Any, param: str) -> list[Block]:
    """Text and images of a user."""
    if isinstance(found, str):
        return [TextBlock(text=found)] if found else []
    return [
        _part(table(part, f"{param}[{place}]"), f"{param}[{place}]") for place, part in enumerate(items(found, param))
    ]


def _part(part: Json, param: str) -> Block:
    match part.get("type"):
        case "text":
            return TextBlock(text=text(part.get("text"), f"{param}.text"))
        case "image_url":
            found = part.get("image_url")
            url = found if isinstance(found, str) else table(found, f"{param}.image_url").get("url")
            return _image(text(url, f"{param}.image_url.url"), f"{param}.image_url.url")
        case other:
            raise Problem(
                f"{param}: content of type {other!r} is not supported. Text and images (`image_url`) are",
                param=f"{param}.type",
                code="unsupported_value",
            )


def _image(url: str, param: str) -> ImageBlock:
    if url.startswith(("https://", "http://")):
        return ImageBlock(url=url)
    found = _DATA_URL.fullmatch(url)
    if found is None:
        raise Problem(f"{param}: an image is an http(s) address or data:image/…;base64,…", param=param)
    return ImageBlock(media_type=found[1].lower(), data="".join(found[2].split()))


def _assistant(message: Json, param: str, names: dict[str, str]) -> list[Block]:
    content: list[Block] = _thinking(message, param)
    found = message.get("content")
    if found is not None:
        parts = [{"type": "text", "text": found}] if isinstance(found, str) else items(found, f"{param}.content")
        for place, part in enumerate(parts):
            said = table(part, f"{param}.content[{place}]")
            word = text(said.get("text", said.get("refusal")), f"{param}.content[{place}].text")
            content += [TextBlock(text=word)] if word else []
    if refusal := message.get("refusal"):
        content.append(TextBlock(text=text(refusal, f"{param}.refusal")))
    for place, one in enumerate(items(message.get("tool_calls") or [], f"{param}.tool_calls")):
        call = _call(table(one, f"{param}.tool_calls[{place}]"), f"{param}.tool_calls[{place}]")
        names[call.id] = call.name
        content.append(call)
    return content


def _thinking(message: Json, param: str) -> list[Block]:
    details = message.get("reasoning_details") or []
    blocks: list[Block] = []
    for place, one in enumerate(items(details, f"{param}.reasoning_details")):
        detail = table(one, f"{param}.reasoning_details[{place}]")
        if detail.get("type") == "reasoning.encrypted":
            blocks.append(ThinkingBlock(redacted=text(detail.get("data"), f"{param}.reasoning_details[{place}].data")))
        elif isinstance(detail.get("text"), str):
            blocks.append(ThinkingBlock(thinking=detail["text"], signature=str(detail.get("signature") or "")))
    plain = message.get("reasoning_content") or message.get("reasoning")
    if not blocks and isinstance(plain, str) and plain:
        blocks.append(ThinkingBlock(thinking=plain))
    return blocks


def _call(call: Json, param: str) -> ToolUseBlock:
    function = table(call.get("function"), f"{param}.function")
    extra = call.get("extra_content")
    own = extra.get("kram") if isinstance(extra, dict) else None
    signature = own.get("signature") if isinstance(own, dict) else None
    return ToolUseBlock(
        id=text(call.get("id"), f"{param}.id"),
        name=text(function.get("name"), f"{param}.function.name"),
        arguments=text(function.get("arguments") or "", f"{param}.function.arguments"),
        signature=signature if isinstance(signature, str) else "",
    )


def _result(message: Json, param: str, names: dict[str, str]) -> ToolResultBlock:
    call_id = text(message.get("tool_call_id"), f"{param}.tool_call_id")
    if call_id not in names:
        raise Problem(
            f"{param}: a result for the call '{call_id}', which no assistant message before it made",
            param=f"{param}.tool_call_id",
        )
    content = _content(message.get("content") or "", f"{param}.content")
    return ToolResultBlock(
        tool_use_id=call_id,
        tool_name=names[call_id],
        text="\n\n".join(block.text for block in content if isinstance(block, TextBlock)),
        images=tuple(block for block in content if isinstance(block, ImageBlock)),
    )
