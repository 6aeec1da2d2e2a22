"""Who could answer: live lists beside configuration, kept for an hour, laid under what probing taught and the person wrote."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from kram.base import Clock, SystemClock, UsageError
from kram.config import ModelSettings, Profile, keep_profile, read_profiles
from kram.runtime import ModelChoice, Runtime
from tests.support.page_server import Asked, PageServer, Refusal, serving
from tests.support.vendor import answered

HOUR_S = 3600


class Moved(SystemClock):
    """The machine's clock, put forward."""

    def __init__(self, seconds: float) -> None:
        self._ahead_ns = int(seconds * 1e9)

    def now_ns(self) -> int:
        return super().now_ns() + self._ahead_ns


@asynccontextmanager
async def opened(
    folder: Path, server: PageServer, *, more: str = "", clock: Clock | None = None, kind: str = "openai-chat"
) -> AsyncIterator[Runtime]:
    config = folder / "home" / "config"
    config.mkdir(parents=True, exist_ok=True)
    (config / "config.toml").write_text(
        f"""
        [providers.one]
        kind = "{kind}"
        base_url = "{server.url}/v1"
        key_optional = true
        [providers.one.models.known]
        {more}
        [combos.default]
        candidates = ["one/known", "one/offered"]
        """
    )
    (folder / "ws").mkdir(exist_ok=True)
    runtime = await Runtime.open(folder / "ws", env={"KRAM_HOME": str(folder / "home")}, clock=clock)
    try:
        yield runtime
    finally:
        await runtime.close()


def of(runtime: Runtime, name: str) -> ModelChoice | None:
    return next((one for one in runtime.models() if one.name == name), None)


def listing(*rows: dict[str, Any]) -> dict[str, Any]:
    return {"/v1/models": {"data": list(rows)}}


KNOWN = {"id": "known", "max_model_len": 4096}
OFFERED = {"id": "offered", "max_model_len": 8192}


async def test_what_an_account_lists_can_be_chosen_and_is_marked(tmp_path: Path) -> None:
    async with (
        serving(listing(KNOWN, OFFERED, {"id": "text-embedding-x"})) as server,
        opened(tmp_path, server) as runtime,
    ):
        assert of(runtime, "one/offered") is None
        await runtime.refresh_models()
        known, offered = of(runtime, "one/known"), of(runtime, "one/offered")
        assert known is not None
        assert offered is not None
        assert (known.live, known.context_window) == (False, 4096)
        assert (offered.live, offered.context_window) == (True, 8192)
        assert of(runtime, "one/text-embedding-x") is None
        assert runtime.set_model("one/offered").candidates == ("one/offered",)


async def test_the_real_window_is_what_the_next_request_is_cut_to(tmp_path: Path) -> None:
    async with serving(listing(KNOWN)) as server, opened(tmp_path, server) as runtime:
        assert runtime.context_report().window == 0
        await runtime.refresh_models()
        assert runtime.context_report().window == 4096


async def test_the_list_is_there_without_waiting_in_the_next_run(tmp_path: Path) -> None:
    async with serving(listing(OFFERED)) as server:
        async with opened(tmp_path, server) as runtime:
            await runtime.refresh_models()
        asked = len(server.asked)
        async with opened(tmp_path, server) as runtime:
            assert of(runtime, "one/offered") is not None
        assert len(server.asked) == asked


async def test_a_list_of_another_address_or_from_last_week_is_not_shown(tmp_path: Path) -> None:
    async with serving(listing(OFFERED)) as server:
        async with opened(tmp_path, server) as runtime:
            await runtime.refresh_models()
        async with opened(tmp_path, PageServer({}, port=1)) as runtime:
            assert of(runtime, "one/offered") is None
        async with opened(tmp_path, server, clock=Moved(8 * 24 * HOUR_S)) as runtime:
            assert of(runtime, "one/offered") is None


async def test_a_vendors_list_is_asked_for_once_an_hour_and_a_server_nearby_always(tmp_path: Path) -> None:
    async with serving(listing(OFFERED)) as server:
        async with opened(tmp_path, server) as runtime:
            await runtime.refresh_models()
            await runtime.refresh_models()
        assert server.paths().count("/v1/models") == 2

    class Far(PageServer):
        """The same loopback server under a name that does not look like one."""

        @property
        def url(self) -> str:
            return f"http://kram-test.invalid:{self.port}"

    far = Far({}, port=9)
    async with opened(tmp_path, far) as runtime:
        (first,) = await runtime.refresh_models()
        assert first.state == "down"
        cache = tmp_path / "home" / "cache" / "models.json"
        kept = json.loads(cache.read_text())
        (row,) = kept["accounts"].values()
        kept["accounts"][f"one openai-chat {far.url}/v1"] = row
        cache.write_text(json.dumps(kept))
    async with opened(tmp_path, far) as runtime:
        assert of(runtime, "one/offered") is not None
        assert await runtime.refresh_models() == []
        assert len(await runtime.refresh_models(force=True)) == 1
    async with opened(tmp_path, far, clock=Moved(2 * HOUR_S)) as runtime:
        assert len(await runtime.refresh_models()) == 1


async def test_an_account_that_is_down_says_why_and_keeps_its_last_list(tmp_path: Path) -> None:
    pages: dict[str, Any] = listing(OFFERED)
    async with serving(pages) as server, opened(tmp_path, server) as runtime:
        await runtime.refresh_models()
        pages["/v1/models"] = Refusal(401)
        await runtime.refresh_models()
        offered, combo = of(runtime, "one/offered"), of(runtime, "default")
        assert offered is not None
        assert combo is not None
        assert (offered.why_not, combo.why_not) == ("invalid key", "invalid key")
        (account,) = [one for one in runtime.accounts() if one.name == "one"]
        assert (account.state, account.cause) == ("down", "invalid key")


async def test_damaged_or_foreign_cache_files_are_nothing(tmp_path: Path) -> None:
    cache = tmp_path / "home" / "cache" / "models.json"
    cache.parent.mkdir(parents=True)
    for content in (b"{", b'{"version": 2}', b'{"version": 1, "accounts": {"x": 3}}', b"\xff"):
        cache.write_bytes(content)
        async with serving(listing(OFFERED)) as server, opened(tmp_path, server) as runtime:
            await runtime.refresh_models()
            assert of(runtime, "one/offered") is not None


async def test_a_profile_beats_the_list_and_the_person_beats_both(tmp_path: Path) -> None:
    async with serving(listing(KNOWN)) as server:
        facts = ModelSettings(context_window=6000, max_output=700, tools=False)
        profile = Profile(at="", kind="openai-chat", base_url=f"{server.url}/v1", facts=facts)
        keep_profile(tmp_path / "home" / "data", "one/known", profile)
        async with opened(tmp_path, server, more="max_output = 99") as runtime:
            await runtime.refresh_models()
            known = of(runtime, "one/known")
        assert known is not None
        assert (known.context_window, known.max_output, known.tools) == (6000, 99, False)
        async with opened(tmp_path, server, kind="openai-responses") as runtime:
            elsewhere = of(runtime, "one/known")
        assert elsewhere is not None
        assert (elsewhere.max_output, elsewhere.tools) == (0, True)


async def test_what_probing_taught_counts_at_once_and_in_the_next_run(tmp_path: Path) -> None:
    """A server that refuses tools: after the probe, requests go out without them."""

    def chat(asked: Asked) -> Any:
        if asked.body.get("tools"):
            return Refusal(400, {"error": {"message": "tools are not supported"}})
        return answered("openai-chat", "fine")[0]

    pages = {**listing(KNOWN), "/v1/chat/completions": chat}
    async with serving(pages) as server:
        async with opened(tmp_path, server) as runtime:
            assert (await runtime.send("hello")).subtype == "error"
            report = await runtime.probe("one/known", lambda outcome: None)
            assert report.facts.tools is False
            assert (await runtime.send("hello")).text == "fine"
        async with opened(tmp_path, server) as runtime:
            assert (await runtime.send("hello")).text == "fine"
        async with opened(tmp_path, server, more="tools = true") as runtime:
            assert (await runtime.send("hello")).subtype == "error"


async def test_a_probe_that_fails_or_is_not_to_be_kept_leaves_nothing(tmp_path: Path) -> None:
    pages = {**listing(KNOWN), "/v1/chat/completions": Refusal(401)}
    async with serving(pages) as server, opened(tmp_path, server) as runtime:
        assert (await runtime.probe("one/known", lambda outcome: None)).problem
        pages["/v1/chat/completions"] = answered("openai-chat", "fine")[0]
        assert not (await runtime.probe("one/known", lambda outcome: None, keep=False)).problem
        assert read_profiles(tmp_path / "home" / "data") == {}
        with pytest.raises(UsageError):
            await runtime.probe("nobody/known", lambda outcome: None)
