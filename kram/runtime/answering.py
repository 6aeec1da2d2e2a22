"""The gateway of a process, with what earlier runs measured: for a session (`wiring`) and for `kram serve` (`serving`)."""

from __future__ import annotations

import msgspec

from kram.base import Clock
from kram.config import Roster
from kram.gateway import Gateway, Measured
from kram.providers import open_provider
from kram.sessions import Store

TELEMETRY = ("gateway", "telemetry")


def open_gateway(roster: Roster, store: Store, clock: Clock) -> Gateway:
    """Opens no provider yet; whoever calls this closes it."""
    return Gateway(roster, open_provider, clock, measured=_measured(store))


def keep_measured(gateway: Gateway, store: Store) -> None:
    """Keeps the figures for the next run."""
    store.put_state(*TELEMETRY, gateway.telemetry.export())


def _measured(store: Store) -> dict[str, Measured]:
    """What earlier runs measured; nothing where that cannot be read."""
    raw = store.get_state(*TELEMETRY)
    try:
        return msgspec.json.decode(raw, type=dict[str, Measured]) if raw else {}
    except msgspec.MsgspecError:
        return {}
