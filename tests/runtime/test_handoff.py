"""A session that changes its vendor in the middle: thinking and calls in its history, every request acceptable to the one it
goes to, and no vendor ever sent another's proof."""

from __future__ import annotations

import json
from contextlib import ExitStack
from itertools import permutations
from pathlib import Path

import pytest

from kram.runtime import Options, Runtime
from tests.support.byte_server import ByteServer
from tests.support.opened import ScriptedUser
from tests.support.strict import assert_acceptable
from tests.support.vendor import PROTOCOLS, answered, base_url

PROOFS = {"anthropic": "proof", "openai-responses": "proof", "gemini": "cHJvb2Y"}
CALLS = [("read_file", {"path": "a.txt"}), ("list_dir", {"path": "."})]


def served(protocol: str, number: int) -> ByteServer:
    """A turn with thinking, two calls and an answer, and one more answer for good measure."""
    return ByteServer(
        [
            answered(protocol, "I look.", CALLS, number=number, thinking=f"A thought of {protocol}."),
            answered(protocol, "It says heron.", number=number + 1, thinking="Clear."),
            answered(protocol, "Once more.", number=number + 2),
        ]
    )


def configured(folder: Path, servers: dict[str, ByteServer]) -> None:
    config = folder / "home" / "config"
    config.mkdir(parents=True)
    (folder / "ws").mkdir()
    (folder / "ws" / "a.txt").write_text("heron\n")
    lines = [f'default_combo = "{next(iter(servers))}"']
    for protocol, server in servers.items():
        lines.append(f"""
[providers.{protocol}]
kind = "{protocol}"
base_url = "{base_url(protocol, server.url)}"
key_optional = true
[providers.{protocol}.models.m]
context_window = 100000
thinking = "enabled"
[combos.{protocol}]
candidates = ["{protocol}/m"]
""")
    (config / "config.toml").write_text("\n".join(lines))


@pytest.mark.parametrize("order", list(permutations(PROTOCOLS, 3)), ids="→".join)
async def test_every_request_is_acceptable_to_the_vendor_it_goes_to(tmp_path: Path, order: tuple[str, ...]) -> None:
    with ExitStack() as stack:
        servers = {protocol: stack.enter_context(served(protocol, 10 * place)) for place, protocol in enumerate(order)}
        configured(tmp_path, servers)
        runtime = await Runtime.open(
            tmp_path / "ws", Options(), user=ScriptedUser(), env={"KRAM_HOME": str(tmp_path / "home")}
        )
        try:
            for protocol in order:
                runtime.set_model(protocol)
                result = await runtime.send(f"What does a.txt say, {protocol}?")
                assert (result.subtype, result.text) == ("success", "It says heron."), result.error
            # Back to the first: its own proofs are in the history again, behind those of the others.
            runtime.set_model(order[0])
            result = await runtime.send("And again?")
            assert (result.subtype, result.text) == ("success", "Once more."), result.error
        finally:
            await runtime.close()
    for protocol, server in servers.items():
        for request in server.requests:
            assert_acceptable(protocol, request.json())
    _proofs_stay_with_their_vendor(order, servers)


def _proofs_stay_with_their_vendor(order: tuple[str, ...], servers: dict[str, ByteServer]) -> None:
    """Each vendor gets its own proofs back and never another's."""
    for protocol, server in servers.items():
        bodies = "\n".join(json.dumps(request.json()) for request in server.requests)
        for place, other in enumerate(order):
            # Chat Completions has no proof; the first answer of a turn carries one that is asked for again.
            if other in PROOFS:
                assert (f'"{PROOFS[other]}{10 * place}"' in bodies) == (other == protocol), (protocol, other)
