"""Foreign text on its way to a terminal: no control ever passes, harmless text is left alone."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kram.base.text import cut, head_tail, one_line, program_output, strip_ansi, visible

EVERY = st.text(st.characters(codec=None), max_size=200)
NASTY = st.lists(
    st.sampled_from(
        ["\x1b]0;t\x07", "\x1b[31m", "\x9b2J", "\x1b", "\r", "\x00", "\u202e", "\u200b", "\ud800", "\U000e0041"]
    )
    | st.text(max_size=5)
).map("".join)


def dangerous(text: str) -> list[str]:
    return [
        c
        for c in text
        if c not in "\n\t"
        and (unicodedata.category(c) in {"Cc", "Cs", "Zl", "Zp"} or c in "\u200b\u200d\u202e\u2066\ufeff")
    ]


@given(EVERY | NASTY)
def test_no_control_ever_passes(text: str) -> None:
    for cleaned in (visible(text), program_output(text), one_line(text, 50), visible(text, keep_newlines=False)):
        assert not dangerous(cleaned)
        cleaned.encode("utf-8")


@given(EVERY | NASTY)
def test_a_second_cleaning_changes_nothing(text: str) -> None:
    assert visible(visible(text)) == visible(text)


@given(EVERY | NASTY)
def test_nothing_but_one_line_is_left_where_one_is_wanted(text: str) -> None:
    assert not set(visible(text, keep_newlines=False)) & set("\n\t")
    assert "\n" not in one_line(text, 40)
    assert len(one_line(text, 40)) <= 40


@pytest.mark.parametrize("code", [*range(0x9), *range(0xB, 0x20), *range(0x7F, 0xA0), *range(0xE0000, 0xE0080)])
def test_each_control_is_shown_escaped(code: int) -> None:
    assert visible(f"a{chr(code)}b") not in ("ab", f"a{chr(code)}b")


@pytest.mark.parametrize("text", ["plain", "ünï 漢字 e\u0301 👍", "tab\tand\nnewline", "العربية"])
def test_harmless_text_comes_back_as_it_is(text: str) -> None:
    assert visible(text) == text


def test_what_only_shapes_an_emoji_is_dropped_and_hidden_joints_in_words_are_shown() -> None:
    assert visible("👩\u200d🚀 ❤\ufe0f") == "👩🚀 ❤"
    assert visible("rm\u200d x") == "rm\\u200d x"


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x07", "link"),
        ("\x1b]0;never closed\nnext", "\nnext"),
        ("\x1b(Bx\x1b=y\x1bMz", "xyz"),
        ("cut \x1b[", "cut "),
        ("\x9b31mred", "red"),
    ],
)
def test_escape_sequences_are_taken_out(text: str, left: str) -> None:
    assert strip_ansi(text) == left


def test_a_rewritten_line_shows_its_last_form() -> None:
    assert program_output("10%\r50%\r100%\nnext\r\n") == "100%\nnext\n"


@given(st.text(max_size=300), st.integers(0, 100))
def test_shortened_text_keeps_its_limit(text: str, limit: int) -> None:
    assert len(cut(text, limit)) <= limit
    shortened = head_tail(text, limit, "|{n}|")
    assert len(shortened) <= max(limit, limit + len(f"|{len(text)}|"))
    assert (shortened == text) == (len(text) <= limit)


def test_head_and_tail_say_how_much_is_missing() -> None:
    assert head_tail("abcdefghij", 3, "[{n}]") == "ab[7]j"
