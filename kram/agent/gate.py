"""The one gate in front of every tool effect.

    effects -> resolved targets -> verdict -> (ask: preview, the person) -> the decision is stored -> permitted

What was shown is what runs: an edit's preview is made again right before it runs, and a difference voids the approval.
"""

from __future__ import annotations

import json
from typing import TypeAlias

from kram.base import Data, Intent, JsonView, Target, crash_point
from kram.events import ApprovalAnswer, ApprovalRequest, Notice
from kram.permissions import Call, Verdict, judge
from kram.sessions import DecisionRecord
from kram.tools import Effects, Ready, Tool, ToolContext, ToolFailed, prepare

from .bench import Bench


class Permitted(Data):
    """The call may run with these arguments; `command` is the judged text of a shell command."""

    arguments: JsonView
    command: str = ""
    decided_by: str = ""
    edited: bool = False


class Refusal(Data):
    """The call does not run; `text` tells the model why. `denied`: for want of permission, not for an error."""

    text: str
    reason: str
    denied: bool = True


Permission: TypeAlias = Permitted | Refusal

MAX_VOIDED = 3


async def permit(bench: Bench, tool: Tool, arguments: JsonView, context: ToolContext) -> Permission:
    """Decides one call; the decision is on disk when this returns. Raises `StoreError`: without one nothing runs."""
    for _ in range(MAX_VOIDED):
        effects = tool.effects(arguments)
        call = gate_call(bench, tool, arguments, effects)
        verdict = judge(call, bench.policy())
        if verdict.decision == "deny":
            _store(bench, context, tool, arguments, "deny", by=verdict.rule or "policy", reason=verdict.reason)
            return Refusal(text=f"Not permitted: {verdict.reason}", reason=verdict.reason)
        if verdict.decision == "allow":
            _store(bench, context, tool, arguments, "allow", by="policy", reason=verdict.reason)
            crash_point("gate:decided")
            _touched(bench, call)
            return Permitted(arguments=arguments, command=verdict.safe_command or effects.command, decided_by="policy")
        try:
            diff = await tool.preview(arguments, context)
        except ToolFailed as failure:
            return Refusal(text=str(failure), reason=str(failure), denied=False)
        answer = await bench.user.approve(context.call_id, approval_request(call, verdict, diff))
        if answer.decision == "deny":
            _store(bench, context, tool, arguments, "deny", by=answer.by, reason=answer.note)
            return Refusal(text=_denied_text(answer), reason=answer.note or "denied")
        if answer.arguments is not None and answer.arguments != arguments:
            return _with_edits(bench, tool, answer, context)
        if diff and await _preview_changed(tool, arguments, context, diff):
            continue
        if answer.decision == "always" and verdict.rule:
            bench.grants.add(verdict.rule)
        _store(bench, context, tool, arguments, answer.decision, by="person", reason=verdict.rule)
        _touched(bench, call)
        return Permitted(arguments=arguments, command=effects.command, decided_by="person")
    return Refusal(
        text="The file kept changing while approval was asked. Read it again and retry.",
        reason="changed during approval",
        denied=False,
    )


def _touched(bench: Bench, call: Call) -> None:
    """Instruction files of the folders a call works in apply from the next model call on; the person is told which."""
    for target in call.targets:
        instructions = bench.prompt.instructions
        if target.intent == "write":
            instructions.written(target.real)
        for path in instructions.touch(target.real):
            unused = f"{path} is not used until you trust this project: /trust"
            bench.emit(Notice(text=f"Instructions loaded: {path}" if instructions.trusted else unused))


def gate_call(bench: Bench, tool: Tool, arguments: JsonView, effects: Effects) -> Call:
    """The call as the permission engine sees it, every path resolved to what it really names."""
    workspace = bench.workspace
    targets: list[Target] = []
    touched: tuple[tuple[tuple[str, ...], Intent], ...] = (
        (effects.reads, "read"),
        (effects.writes, "write"),
        (effects.deletes, "delete"),
    )
    for paths, intent in touched:
        targets += [workspace.resolve(path, intent) for path in paths]
    return Call(
        tool=tool.name,
        access=tool.access,
        arguments=arguments,
        subject=effects.subject,
        targets=tuple(targets),
        command=effects.command,
        cwd=effects.cwd,
        root=str(workspace.root),
    )


def approval_request(call: Call, verdict: Verdict, diff: str) -> ApprovalRequest:
    """Exactly what will run: the whole command, or the resolved paths, or the arguments where there is neither."""
    if call.command:
        body = call.command
    elif call.targets:
        body = "\n".join(_path_line(target) for target in call.targets)
    else:
        body = json.dumps(dict(call.arguments), ensure_ascii=False, indent=2)
    return ApprovalRequest(
        tool=call.tool,
        arguments=call.arguments,
        summary=f"{call.tool}: {call.subject}" if call.subject else call.tool,
        body=body,
        diff=diff,
        reason=verdict.reason,
        parts=tuple(
            f"{part.decision}: {part.text}" + (f" — {part.reason}" if part.reason else "") for part in verdict.parts
        ),
        rule=verdict.rule,
    )


def _path_line(target: Target) -> str:
    note = "" if target.inside else "  (outside the project)"
    return f"{target.intent} {target.real}{note}"


def _denied_text(answer: ApprovalAnswer) -> str:
    if answer.by == "policy":
        return f"Not permitted: {answer.note}"
    if answer.note:
        return f"The person denied this call and said: {answer.note}"
    return "The person denied this call. Do not try it again or around it; ask or choose another way."


def _with_edits(bench: Bench, tool: Tool, answer: ApprovalAnswer, context: ToolContext) -> Permission:
    """The person changed the arguments: they are checked and judged anew; only a deny can still stop them."""
    prepared = prepare(tool.name, json.dumps(dict(answer.arguments or {})), tool.parameters)
    if not isinstance(prepared, Ready):
        return Refusal(text=f"The person's edit was not usable: {prepared.text}", reason=prepared.text, denied=False)
    effects = tool.effects(prepared.args)
    verdict = judge(gate_call(bench, tool, prepared.args, effects), bench.policy())
    if verdict.decision == "deny":
        _store(bench, context, tool, prepared.args, "deny", by="policy", reason=verdict.reason)
        return Refusal(text=f"Not permitted: {verdict.reason}", reason=verdict.reason)
    _store(bench, context, tool, prepared.args, "once", by="person (edited)", reason="")
    return Permitted(arguments=prepared.args, command=effects.command, decided_by="person", edited=True)


async def _preview_changed(tool: Tool, arguments: JsonView, context: ToolContext, shown: str) -> bool:
    try:
        return await tool.preview(arguments, context) != shown
    except ToolFailed:
        return True


def _store(
    bench: Bench, context: ToolContext, tool: Tool, arguments: JsonView, decision: str, *, by: str, reason: str
) -> None:
    bench.record.decide(
        DecisionRecord(
            call_id=context.call_id,
            tool=tool.name,
            arguments=json.dumps(dict(arguments), ensure_ascii=False, sort_keys=True),
            decision=decision,
            by=by,
            reason=reason,
        )
    )
