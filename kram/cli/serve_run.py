"""Runs `kram serve`: the gateway opened, the socket bound, what a person needs to know printed, then requests until a signal."""

from __future__ import annotations

import asyncio
import signal
import sys
import time
from pathlib import Path

from kram import __version__
from kram.base import KramError, UsageError, one_line
from kram.config import Combo, Roster
from kram.gateway.http import Guard, Served, Service, application, bind, is_loopback, serve, url_of
from kram.runtime import Options, Serving

from .guard import complain
from .serve_token import own_token, proper_token

SHOWN = 12
"""Combos listed at the start; `GET /v1/models` has them all."""


class NobodyAnswers(KramError):
    """There is nothing to serve."""

    exit_code = 4


async def run_server(root: Path, options: Options, host: str, port: int, token: str, *, verbose: bool) -> None:
    """Returns when a signal has ended it. Raises `KramError` for what keeps it from starting."""
    if not is_loopback(host) and not token:
        raise UsageError(
            f"'{host}' can be reached from other machines, so the token must be your own",
            todo="Give one with --token or KRAM_SERVE_TOKEN",
        )
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    serving = await Serving.open(root, options)
    try:
        if not serving.gateway.roster.combos:
            raise NobodyAnswers("There is no model to serve", todo=". ".join(serving.missing))
        proven = proper_token(token) if token else own_token(serving.paths.state)
        serving.keep_secret(proven)
        service = Service(serving.gateway, serving.default, __version__)
        sock = bind(host, port)

        def tell(served: Served) -> None:
            if verbose:
                print(_line(served), file=sys.stderr, flush=True)

        app = application(service, Guard(token=proven, any_host=not is_loopback(host)), tell)
        for note in serving.notes:
            complain(note)
        where = "" if token else str(serving.paths.state)
        _announce(url_of(sock), proven if where else "", where, serving.gateway.roster, serving.default)
        serving.refresh_soon()
        await serve(app, service, sock, stop)
    finally:
        await serving.close()
    print(f"\nstopped after {service.ended} requests" if service.ended != 1 else "\nstopped after one request")


# --- what is printed ----------------------------------------------------------------------------------------------------


def _announce(url: str, token: str, kept_in: str, roster: Roster, default: Combo | None) -> None:
    print(f"kram answers at {url}/v1 like an OpenAI server.\n")
    print(f"  token    {token}  (kept in {kept_in}/serve-token)" if token else "  token    the one you gave")
    combos = sorted(roster.combos.values(), key=lambda one: default is None or one.name != default.name)
    for place, combo in enumerate(combos[:SHOWN]):
        mark = "  (answers for unknown names)" if default and combo.name == default.name else ""
        candidates = one_line(" → ".join(combo.candidates), 120)
        print(f"  {'models' if place == 0 else '      '}   {one_line(combo.name, 60)}: {candidates}{mark}")
    if len(combos) > SHOWN:
        print(f"           … and {len(combos) - SHOWN} more")
    name = one_line(default.name if default else combos[0].name, 60)
    print(f"\n  export OPENAI_BASE_URL={url}/v1 OPENAI_API_KEY={token or '…'}")
    print('  curl "$OPENAI_BASE_URL/chat/completions" -H "Authorization: Bearer $OPENAI_API_KEY" \\')
    print(f"""    -d '{{"model": "{name}", "messages": [{{"role": "user", "content": "Hello"}}]}}'""")
    print("\nEvery provider/model is a name too: GET /v1/models lists all. Ctrl+C ends it.", flush=True)


def _line(served: Served) -> str:
    """One request: when, what came of it, how long, who answered. What a client or provider wrote is data."""
    parts = [time.strftime("%H:%M:%S"), str(served.status), f"{served.duration_ms} ms", _subject(served)]
    if served.route and served.route.usage.reported:
        usage = served.route.usage
        parts.append(f"{usage.input} in, {usage.output} out")
        parts += [f"${usage.cost_usd:.4f}"] if usage.cost_usd else []
    if served.end == "gone":
        parts.append("the client left")
    elif served.problem:
        parts.append(f"{'broke off: ' if served.status == 200 else ''}{one_line(served.problem, 300)}")
    return "  ".join(parts)


def _subject(served: Served) -> str:
    if served.route is None:
        return f"{one_line(served.method, 20)} {one_line(served.path, 120)}"
    asked = one_line(served.model, 60) or "(no model named)"
    combo = f" = {one_line(served.route.combo, 60)}" if served.route.combo != served.model else ""
    winner = f" → {one_line(served.route.winner, 100)}" if served.route.winner not in ("", served.model) else ""
    tries = f", attempt {len(served.route.attempts)}" if len(served.route.attempts) > 1 else ""
    return f"{asked}{combo}{winner}{tries}{' (stream)' if served.stream else ''}"
