"""The models accounts offer right now, kept for an hour in the cache folder so that a list is there without waiting.

`models.json`: version, and for each account (name, kind, address) when it was asked and what it listed. No key is in it.
A server nearby is always asked anew: it answers at once, and what it has loaded changes.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

import msgspec

from kram.base import AppPaths, Clock, Data, atomic_write, read_bytes
from kram.config import Model, Provider, Roster, Settings, read_profiles, usable, with_facts
from kram.providers import Listing, Opener, list_live, nearby

FILE = "models.json"
FRESH_S = 3600.0
KEPT_S = 7 * 24 * 3600.0
MAX_BYTES = 20_000_000
_NO_CHAT = re.compile(
    r"embed|whisper|transcri|\btts\b|-tts|dall-e|moderation|rerank|realtime|gpt-image|-image-|imagen|veo-|davinci-002|babbage|sora",
    re.IGNORECASE,
)
"""Ids in vendors' lists that cannot hold a conversation."""


class Kept(Data):
    """One account's list; `at_s` is wall time in seconds since 1970."""

    at_s: float
    models: tuple[Model, ...]


class _File(Data):
    version: Literal[1] = 1
    accounts: dict[str, Kept] = {}


class LiveModels:
    """What is known of everyone who can answer. `roster()` is the whole of it; `refresh` asks the accounts."""

    def __init__(self, base: Roster, settings: Settings, paths: AppPaths, clock: Clock, opener: Opener) -> None:
        self.base = base
        self._settings = settings
        self._paths = paths
        self._clock = clock
        self._opener = opener
        self._kept = _read(paths.cache / FILE)
        self.listings: dict[str, Listing] = {}

    def rebased(self, base: Roster, settings: Settings) -> LiveModels:
        """The same lists over other accounts; what an account answered is forgotten where the account is another one now."""
        made = LiveModels(base, settings, self._paths, self._clock, self._opener)
        for name, listing in self.listings.items():
            before, now = self.base.providers.get(name), base.providers.get(name)
            if before and now and (before.base_url, before.api_key) == (now.base_url, now.api_key):
                made.listings[name] = listing
        return made

    def roster(self) -> Roster:
        """Everyone who can answer, with live lists, profiles and the person's settings laid over each other."""
        live = {one.name: kept.models for one in self._accounts() if (kept := self._of(one))}
        return with_facts(self.base, self._settings, live=live, profiles=read_profiles(self._paths.data))

    def offers(self, model: Model) -> bool:
        """Whether the model is only known from a live list."""
        provider = self.base.providers.get(model.provider)
        return provider is not None and all(one.id != model.id for one in provider.models)

    async def refresh(self, *, force: bool = False, only: str = "") -> list[Listing]:
        """Asks every account whose list is older than an hour, all at the same time; `only` one. Never fails."""
        due = [one for one in self._accounts() if only in ("", one.name) and (force or self._is_due(one))]
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(list_live(one, self._clock, opener=self._opener)) for one in due]
        found = [task.result() for task in tasks]
        now_s = self._clock.now_ns() / 1e9
        for account, listing in zip(due, found, strict=True):
            self.listings[account.name] = listing
            if listing.models:
                chatting = tuple(model for model in listing.models if not _NO_CHAT.search(model.id))
                self._kept[_account(account)] = Kept(at_s=now_s, models=chatting)
        if any(listing.models for listing in found):
            await asyncio.to_thread(self._write)
        return found

    def _accounts(self) -> Iterable[Provider]:
        return (one for one in self.base.providers.values() if one.kind not in ("script", "llama-cpp") and usable(one))

    def _of(self, account: Provider) -> Kept | None:
        kept = self._kept.get(_account(account))
        return kept if kept and self._age_s(kept) < KEPT_S else None

    def _is_due(self, account: Provider) -> bool:
        kept = self._of(account)
        return kept is None or self._age_s(kept) > FRESH_S or nearby(account)

    def _age_s(self, kept: Kept) -> float:
        """A list from the future (a clock that was set back) is as old as can be."""
        age_s = self._clock.now_ns() / 1e9 - kept.at_s
        return age_s if age_s >= 0 else KEPT_S

    def _write(self) -> None:
        path = self._paths.cache / FILE
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            atomic_write(path, msgspec.json.encode(_File(accounts=self._kept)), mode=0o600)
        except OSError:
            # A cache that cannot be written costs the next look a second, nothing else.
            return


def _account(provider: Provider) -> str:
    return f"{provider.name} {provider.kind} {provider.base_url}"


def _read(path: Path) -> dict[str, Kept]:
    try:
        return dict(msgspec.json.decode(read_bytes(path, MAX_BYTES), type=_File).accounts)
    except (OSError, msgspec.MsgspecError):
        return {}
