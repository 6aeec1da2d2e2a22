"""Textual's driver for terminals, with an input loop of our own: pastes are taken out before keys are read, and a terminal
that is gone ends the loop instead of being asked for ever."""

from __future__ import annotations

import os
import selectors
from codecs import getincrementaldecoder
from collections.abc import Iterable

from textual import events
from textual._xterm_parser import XTermParser
from textual.drivers.linux_driver import LinuxDriver

from .pastes import Pasted, PasteSplitter, Piece

CHUNK_BYTES = 65_536
TICK_S = 0.1
HELD_S = 0.02
"""How long an escape may be the beginning of a paste, in seconds; it delays the Esc key by as much."""
LATE_S = 1.0
"""After this long a paste that has not ended shows what has come of it."""


class KramDriver(LinuxDriver):
    def run_input_thread(self) -> None:
        """Runs in a thread of its own until the program ends or the terminal is gone."""
        parser = XTermParser(self._debug)
        decoder = getincrementaldecoder("utf-8")("replace")
        splitter = PasteSplitter()

        def handle(pieces: Iterable[Piece]) -> None:
            for piece in pieces:
                if isinstance(piece, Pasted):
                    self.process_message(events.Paste(piece.text.replace("\x00", "")))
                    continue
                for event in parser.feed(piece):
                    self.process_message(event)

        with selectors.DefaultSelector() as selector:
            selector.register(self.fileno, selectors.EVENT_READ)
            while not self.exit_event.is_set():
                if selector.select(self._patience_s(splitter)):
                    try:
                        data = os.read(self.fileno, CHUNK_BYTES)
                    except OSError:
                        return
                    if not data:
                        return
                    handle(splitter.feed(decoder.decode(data)))
                elif splitter.holding:
                    handle(splitter.idle())
                for event in parser.tick():
                    self.process_message(event)

    def _patience_s(self, splitter: PasteSplitter) -> float:
        if splitter.pasting and splitter.holding:
            return LATE_S
        return HELD_S if splitter.holding else TICK_S
