"""Tests of providers' faults run on a loop whose time can be skipped, so that limits of minutes are tested as they are."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping

import pytest

from tests.support.swift import SwiftLoop


def pytest_asyncio_loop_factories(item: pytest.Item) -> Mapping[str, Callable[[], asyncio.AbstractEventLoop]]:
    return {"swift": SwiftLoop} if "provider" in item.path.name else {"plain": asyncio.new_event_loop}
