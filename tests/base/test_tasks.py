"""Background work ends with its owner, and a failure of it costs nobody else."""

from __future__ import annotations

import asyncio
import logging

import pytest

from kram.base import Background


async def test_a_failure_is_logged_by_name_and_the_rest_goes_on(caplog: pytest.LogCaptureFixture) -> None:
    background, done = Background(), asyncio.Event()

    async def fails() -> None:
        raise ValueError("broken")

    async def works() -> None:
        done.set()

    logging.getLogger("kram").propagate = True
    background.spawn(fails(), "the failing one")
    background.spawn(works(), "the other")
    await done.wait()
    await background.close()
    assert "the failing one" in caplog.text
    assert "broken" in caplog.text


async def test_close_cancels_and_waits_until_everything_has_ended() -> None:
    background, started, ended = Background(), asyncio.Event(), []

    async def stubborn() -> None:
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            ended.append(True)

    background.spawn(stubborn(), "stubborn")
    await started.wait()
    await background.close()
    assert ended == [True]
    assert len(background) == 0
    await background.close()


async def test_work_that_starts_more_work_while_closing_leaves_none() -> None:
    background, started = Background(), asyncio.Event()

    async def child() -> None:
        raise AssertionError("must not start")

    async def parent() -> None:
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            background.spawn(child(), "child")

    background.spawn(parent(), "parent")
    await started.wait()
    await background.close()
    assert len(background) == 0


async def test_finished_work_is_not_kept() -> None:
    background, done = Background(), asyncio.Event()

    async def quick() -> None:
        done.set()

    for _ in range(50):
        background.spawn(quick(), "quick")
    await done.wait()
    while len(background):
        await asyncio.sleep(0)


async def test_a_cancelled_close_still_lets_everything_be_closed_later() -> None:
    background, holding, free = Background(), asyncio.Event(), asyncio.Event()

    async def slow() -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            holding.set()
            await free.wait()
            raise

    background.spawn(slow(), "slow")
    await asyncio.sleep(0)
    closing = asyncio.ensure_future(background.close())
    await holding.wait()
    closing.cancel()
    free.set()
    await asyncio.gather(closing, return_exceptions=True)
    await background.close()
    assert len(background) == 0
