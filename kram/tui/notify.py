"""Telling the person something while they look elsewhere: the bell, a desktop notice, the terminal's title."""

from __future__ import annotations

from typing import Any

from textual.app import App

from kram.base import one_line

TITLE_CHARS = 60


def ask_for_attention(app: App[Any], why: str) -> None:
    """A bell and a desktop notice (OSC 9), only while the terminal is not focused."""
    if app.app_focus:
        return
    app.bell()
    _write(app, f"\x1b]9;{one_line(why, TITLE_CHARS)}\x07")


def set_title(app: App[Any], text: str) -> None:
    """The terminal's title shows what is going on."""
    _write(app, f"\x1b]0;{one_line(text, TITLE_CHARS)}\x07")


def _write(app: App[Any], sequence: str) -> None:
    driver = app._driver
    if driver is not None and not app.is_headless:
        driver.write(sequence)
        driver.flush()
