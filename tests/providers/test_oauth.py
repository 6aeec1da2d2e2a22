"""A browser login against a real local server: who may end it, with what, and that a key comes only for the right verifier."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import hashlib
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from kram.base import KramError, SystemClock, UsageError
from kram.config import Provider
from kram.providers import list_live
from kram.providers.oauth import BrowserLogin, LoginFailed
from kram.providers.oauth.pkce import new_pkce
from tests.support.oauth_server import KEY, Vendor, browse, get, vendor


def account(url: str, **fields: Any) -> Provider:
    return Provider(name="openrouter", kind="openai-chat", base_url=f"{url}/api/v1", key_check="/key", **fields)


async def log_in(
    made: Vendor, browser: Callable[[str], Awaitable[Any]], *, limit_s: float = 20.0, opens: bool = True
) -> str:
    """Runs a login; `browser` gets the address that was shown."""
    shown: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    login = BrowserLogin(
        account(made.url),
        open_browser=lambda address: opens,
        show=lambda address, opened: shown.set_result(address),
        limit_s=limit_s,
    )
    async with asyncio.TaskGroup() as group:
        key = group.create_task(login.run())
        await browser(await shown)
    return key.result()


def test_the_challenge_is_the_hash_of_the_verifier_and_neither_is_used_twice() -> None:
    one, other = new_pkce(), new_pkce()
    digest = hashlib.sha256(one.verifier.encode()).digest()
    assert one.challenge == base64.urlsafe_b64encode(digest).decode().rstrip("=")
    assert 43 <= len(one.verifier) <= 128
    assert len({one.verifier, other.verifier, one.state, other.state}) == 4
    assert one.verifier not in repr(one)


async def test_a_login_ends_in_a_permanent_key() -> None:
    async with vendor() as made:
        assert await log_in(made, browse) == KEY
        (asked,) = made.authorized
        callback = urlsplit(asked["callback_url"])
        assert (callback.scheme, callback.hostname) == ("http", "localhost")
        (exchanged,) = made.exchanges
        assert exchanged["code_verifier"] not in asked.values()


async def test_only_the_path_with_this_logins_state_at_this_machines_name_counts() -> None:
    async with vendor() as made:

        async def others_first(address: str) -> None:
            back = parse_qs(urlsplit(address).query)["callback_url"][0]
            parts = urlsplit(back)
            root = f"http://localhost:{parts.port}"
            assert (await get(f"{root}/callback/wrong-state?code=stolen"))[0] == 403
            assert (await get(f"{back}?code=stolen&state=wrong"))[0] == 403
            assert (await get(f"{root}/?code=stolen"))[0] == 404
            assert (await get(f"{root}/elsewhere/{parts.path.rpartition('/')[2]}?code=stolen"))[0] == 404
            assert (await get(f"{back}?code=stolen", host=f"evil.example:{parts.port}"))[0] == 403
            assert (await get(f"{back}?code=stolen", host="localhost:1"))[0] == 403
            assert (await get(f"{back}?code=stolen", method="POST"))[0] == 405
            assert (await get(back))[0] == 400
            await silent_connection(parts.port or 0)
            assert not made.exchanges
            assert await browse(address) == 200

        assert await log_in(made, others_first) == KEY
        assert [one["code"] for one in made.exchanges] == ["code-1"]


async def silent_connection(port: int) -> None:
    """Someone who connects and says nonsense does not disturb."""
    _, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"\x16\x03\x01garbage\r\n\r\n")
    writer.close()


async def test_a_second_code_does_not_replace_the_first() -> None:
    async with vendor() as made:

        async def twice(address: str) -> None:
            back = parse_qs(urlsplit(address).query)["callback_url"][0]
            first = asyncio.create_task(browse(address))
            await first
            # The server is closing or closed: whatever comes now is late.
            with contextlib.suppress(OSError, IndexError):
                await get(f"{back}?code=late")

        assert await log_in(made, twice) == KEY


async def test_access_denied_is_said_in_the_vendors_words() -> None:
    async with vendor() as made:
        with pytest.RaisesGroup(pytest.RaisesExc(LoginFailed, match="No access was given: access_denied")):
            await log_in(made, lambda address: browse(address, deny="access_denied\x1b[2J"))
        assert not made.exchanges


async def test_a_code_that_is_too_old_gives_no_key() -> None:
    async with vendor() as made:
        made.expired = True
        with pytest.RaisesGroup(pytest.RaisesExc(LoginFailed, match="refused")):
            await log_in(made, browse)


async def test_nobody_coming_back_ends_by_itself() -> None:
    async with vendor() as made:

        async def nothing(address: str) -> None:
            pass

        with pytest.RaisesGroup(pytest.RaisesExc(LoginFailed, match="Nobody came back")):
            await log_in(made, nothing, limit_s=0.01)


async def test_a_cancelled_login_stops_listening() -> None:
    async with vendor() as made:
        shown: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        login = BrowserLogin(
            account(made.url), open_browser=lambda a: False, show=lambda address, opened: shown.set_result(address)
        )
        running = asyncio.create_task(login.run())
        back = parse_qs(urlsplit(await shown).query)["callback_url"][0]
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        with pytest.raises(OSError):
            await get(f"{back}?code=late")


async def test_where_the_browser_is_elsewhere_the_address_it_ended_at_can_be_pasted() -> None:
    async with vendor() as made:
        shown: asyncio.Future[tuple[str, bool]] = asyncio.get_running_loop().create_future()
        login = BrowserLogin(
            account(made.url),
            open_browser=lambda a: False,
            show=lambda address, opened: shown.set_result((address, opened)),
        )
        async with asyncio.TaskGroup() as group:
            key = group.create_task(login.run())
            address, opened = await shown
            assert not opened
            back = parse_qs(urlsplit(address).query)["callback_url"][0]
            await get(address)
            assert not login.take("http://localhost:1/callback/x?code=y")
            assert login.take(f"  {back}?code=code-1\n")
        assert key.result() == KEY


def test_a_vendor_without_a_login_says_so() -> None:
    plain = Provider(name="mistral", kind="openai-chat", base_url="https://api.mistral.ai/v1")
    with pytest.raises(UsageError, match="no browser login"):
        BrowserLogin(plain, open_browser=lambda address: True, show=lambda address, opened: None)


async def test_a_wrong_key_is_found_although_everybody_may_list_the_models() -> None:
    async with vendor() as made:
        wrong = await list_live(account(made.url, api_key="sk-or-v1-wrong"), SystemClock())
        assert (wrong.state, wrong.cause) == ("down", "invalid key")
        right = await list_live(account(made.url, api_key=KEY), SystemClock())
        assert right.state == "ok"
        assert [model.id for model in right.models] == ["openai/gpt-oss-120b"]


def test_failures_are_the_persons_errors() -> None:
    assert issubclass(LoginFailed, KramError)
