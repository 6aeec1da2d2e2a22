"""Pastes are text: whatever stands in them, however the input is cut, nothing of it becomes a key."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from kram.tui.pastes import END, START, Pasted, PasteSplitter

NASTY = st.text(alphabet=list("ab\r\n\x1b[]~;0123m\x03äé日y"), max_size=60)


def pieces(chunks: list[str]) -> list[object]:
    splitter = PasteSplitter()
    found: list[object] = [piece for chunk in chunks for piece in splitter.feed(chunk)]
    return found + list(splitter.idle())


def cut(text: str, dice: random.Random) -> list[str]:
    """The text in pieces of one to ten characters."""
    chunks = []
    while text:
        size = dice.randrange(1, 10)
        chunks.append(text[:size])
        text = text[size:]
    return chunks


@given(
    before=st.text(alphabet="xyz", max_size=5),
    paste=NASTY,
    after=st.text(alphabet="uvw", max_size=5),
    seed=st.integers(),
)
def test_a_paste_comes_out_whole_however_it_is_cut(before: str, paste: str, after: str, seed: int) -> None:
    paste = paste.replace(END, "")
    chunks = cut(before + START + paste + END + after, random.Random(seed))
    if any(chunk in ("\x1b", "\x03") for chunk in chunks[1:-1]):
        # One escape alone is how a person leaves a paste that never ends; terminals send more than that at once.
        return
    found = pieces(chunks)
    assert "".join(piece.text for piece in found if isinstance(piece, Pasted)) == paste
    assert "".join(piece for piece in found if isinstance(piece, str)) == before + after


@given(text=NASTY.filter(lambda text: START not in text), seed=st.integers())
def test_without_a_paste_every_character_passes(text: str, seed: int) -> None:
    found = pieces(cut(text, random.Random(seed)))
    assert "".join(str(piece) for piece in found) == text


def test_an_escape_alone_is_held_for_a_moment_only() -> None:
    splitter = PasteSplitter()
    assert splitter.feed("\x1b") == []
    assert splitter.holding
    assert splitter.idle() == ["\x1b"]


def test_a_paste_without_an_end_is_shown_and_what_follows_is_still_no_key() -> None:
    splitter = PasteSplitter()
    assert splitter.feed(START + "half\r") == []
    assert splitter.idle() == [Pasted(text="half\r")]
    assert splitter.feed("y\r") == []
    assert splitter.idle() == [Pasted(text="y\r")]
    assert splitter.feed("\x1b") == []
    assert splitter.feed("y") == ["y"]
