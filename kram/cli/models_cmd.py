"""`kram models`: what can answer here, what can not, and why; `kram models test`: whether it really does."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Annotated

import typer

from kram.base import one_line
from kram.headless import NobodyUser
from kram.messages import to_plain
from kram.providers import Trial
from kram.runtime import Account, ModelChoice, Options, Runtime

from .guard import complain, guarded
from .tables import print_table

app = typer.Typer(pretty_exceptions_enable=False, invoke_without_command=True)
Workspace = Annotated[Path, typer.Option("-C", "--workspace", help="Project root.")]

SHOWN_LIVE = 12
"""Of the models that only an account's own list names; `--all` shows them all."""


@app.callback()
@guarded
def models(
    context: typer.Context,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
    refresh: Annotated[bool, typer.Option("--refresh", help="Ask every account again, whatever is cached.")] = False,
    everything: Annotated[bool, typer.Option("--all", help="Whole live lists.")] = False,
    workspace: Workspace = Path(),
) -> None:
    """Providers, models and combos: what is usable now, and why not."""
    if context.invoked_subcommand is not None:
        return

    async def run(runtime: Runtime) -> None:
        await runtime.refresh_models(force=refresh)
        choices, accounts, missing = runtime.models(), runtime.accounts(), runtime.missing
        if as_json:
            plain = {"choices": choices, "accounts": accounts, "missing": list(missing)}
            print(json.dumps(to_plain(plain), ensure_ascii=False))
            return
        why_not = {one.name: one.cause if one.state == "down" else "" for one in accounts}
        _print_combos([one for one in choices if one.kind == "combo"], why_not)
        for account in accounts:
            _print_account(account, [one for one in choices if one.provider == account.name], everything=everything)
        print("\n● in use   * an account's first model")
        for sentence in missing:
            complain(sentence)

    asyncio.run(_with_runtime(workspace, run))


@app.command("test")
@guarded
def test(
    name: Annotated[str, typer.Argument(help="A combo, or provider/model; without one the default combo.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="A JSON object a line.")] = False,
    workspace: Workspace = Path(),
) -> None:
    """One tiny real request to every candidate."""
    trials: list[Trial] = []

    async def run(runtime: Runtime) -> None:
        tell = _print_json if as_json else _announce
        trials.extend(await runtime.try_models(name, tell))

    asyncio.run(_with_runtime(workspace, run))
    if not as_json:
        _print_trials(trials)
    raise typer.Exit(0 if any(trial.ok for trial in trials) else 1)


async def _with_runtime(workspace: Path, use: Callable[[Runtime], Awaitable[None]]) -> None:
    runtime = await Runtime.open(workspace.expanduser().resolve(), Options(), user=NobodyUser())
    try:
        await use(runtime)
    finally:
        await runtime.close()


# --- what is there ------------------------------------------------------------------------------------------------------


def _print_combos(combos: list[ModelChoice], why_not: dict[str, str]) -> None:
    """Each with its candidates in declared order and what keeps one from answering."""
    for one in combos:
        state = "usable" if not one.why_not else f"not usable: {one.why_not}"
        print(f"{_mark(one)} {one_line(one.name, 60)}  {one.strategy}  {one_line(state, 200)}  ({one.origin})")
        for candidate in one.candidates:
            reason = why_not.get(candidate.partition("/")[0], "its provider is not configured")
            print(
                f"    {'✕' if reason else '✓'} {one_line(candidate, 100)}"
                + (f": {one_line(reason, 200)}" if reason else "")
            )


def _print_account(account: Account, models: list[ModelChoice], *, everything: bool) -> None:
    state = {"ok": "answers", "degraded": "answers", "down": "not usable", "": "ready"}[account.state]
    if account.latency_ms and account.state in ("ok", "degraded"):
        state += f" in {account.latency_ms} ms"
    reason = ": ".join(part for part in (state, account.cause if account.state != "ok" else "") if part)
    print(f"\n{one_line(account.name, 60)} ({account.kind}, {one_line(account.origin, 60)}): {one_line(reason, 300)}")
    if account.todo and account.state == "down":
        print(f"  → {one_line(account.todo, 300)}")
    listed = [one for one in models if not one.live]
    live = [one for one in models if one.live]
    shown = live if everything else live[:SHOWN_LIVE]
    print_table([_model_row(one) for one in [*listed, *shown]])
    if len(live) > len(shown):
        print(f"    … and {len(live) - len(shown)} more in its list: kram models --all")


def _model_row(one: ModelChoice) -> tuple[str, ...]:
    can = " ".join(word for word, there in (("tools", one.tools), ("images", one.images)) if there)
    return (
        f"  {_mark(one)}",
        one.name.removeprefix(f"{one.provider}/"),
        _window(one),
        f"out {_short(one.max_output)}" if one.max_output else "",
        can or "text only",
        _price(one),
        "live list" if one.live else "",
    )


def _mark(one: ModelChoice) -> str:
    return "●" if one.current else "*" if one.default else " "


def _window(one: ModelChoice) -> str:
    if not one.context_window:
        made = f", made for {_short(one.trained_window)}" if one.trained_window else ""
        return f"window unknown{made}"
    less = one.trained_window > one.context_window
    return _short(one.context_window) + (f" of {_short(one.trained_window)}" if less else "")


def _short(tokens: int) -> str:
    """Window sizes come in powers of two and in round thousands."""
    for size, unit in ((1_048_576, "M"), (1_000_000, "M"), (1024, "k"), (1000, "k")):
        if tokens >= size and tokens % size == 0:
            return f"{tokens // size}{unit}"
    return f"{tokens / 1000:.0f}k" if tokens >= 10_000 else str(tokens)


def _price(one: ModelChoice) -> str:
    return f"${one.price.input:g}/${one.price.output:g}" if one.price else ""


# --- whether it answers -------------------------------------------------------------------------------------------------


def _announce(trial: Trial) -> None:
    """A line as each ends, since a slow one may take a minute; the table follows on stdout."""
    complain(f"{trial.candidate}: {'answered' if trial.ok else trial.problem}")


def _print_json(trial: Trial) -> None:
    print(json.dumps(to_plain(trial), ensure_ascii=False), flush=True)


def _print_trials(trials: list[Trial]) -> None:
    rows = []
    for trial in trials:
        first = "" if trial.first_word_ms is None else f"{trial.first_word_ms} ms"
        tokens = f"{trial.usage.input} in, {trial.usage.output} out" if trial.usage.reported else "not reported"
        result = "ok" if trial.ok else trial.kind
        rows.append((result, trial.candidate, first, f"{trial.total_ms} ms", tokens if trial.ok else ""))
    print_table(rows, head=("", "MODEL", "FIRST WORD", "TOTAL", "TOKENS"))
    for trial in trials:
        if not trial.ok:
            print(f"{trial.candidate}: {one_line(trial.problem, 400)}" + (f". {trial.todo}" if trial.todo else ""))
