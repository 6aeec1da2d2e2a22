"""Markdown as rows: the same however it comes, never wider than its place, copied as logical lines."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from kram.base.text import visible
from kram.tui.lines import DARK, Line, Lines, look, wrap
from kram.tui.markdown import MarkdownText
from kram.tui.viewport import joined
from tests.support.told import ANSWER

LOOK = look(DARK)

PARTS = ["word", " ", "\n", "\n\n", "# ", "- ", "* ", "1. ", "> ", "```", "```py\n", "~~~", "    ", "\t", "---", "==="]
PARTS += ["| a | b |\n", "|---|---|\n", "**b**", "_i_", "`c`", "[l](https://x.y)", "[r]", "[r]: /u\n", "<div>"]
PARTS += ["漢字", "👍", "e\u0301", "\\", "&amp;"]
FRAGMENTS = st.lists(st.sampled_from(PARTS), max_size=30).map("".join)


def rows(text: MarkdownText, width: int = 60) -> list[str]:
    return [line.text.rstrip() for line in text.lines(width, LOOK)]


def at_once(source: str) -> MarkdownText:
    return MarkdownText(source, finished=True)


def copied(lines: Lines) -> str:
    return joined(lines, 0, len(lines) - 1)


@given(FRAGMENTS, st.integers(1, 9))
@settings(max_examples=300, deadline=None)
def test_a_text_that_streams_ends_as_it_would_at_once(source: str, size: int) -> None:
    text = MarkdownText()
    for at in range(0, len(source), size):
        text.feed(source[at : at + size])
        text.lines(60, LOOK)
    text.finish()
    assert rows(text) == rows(at_once(source))


@given(FRAGMENTS | st.text(max_size=200).map(visible), st.integers(12, 90))
@settings(max_examples=200, deadline=None)
def test_every_row_is_exactly_as_wide_as_its_place(source: str, width: int) -> None:
    for line in at_once(source).lines(width, LOOK, 2):
        assert line.strip.cell_length == width
        assert sum(cell_len(segment.text) for segment in line.strip) == width


def test_finished_parts_are_laid_out_once_while_the_rest_grows() -> None:
    text = MarkdownText()
    text.feed("# Title\n\nfirst paragraph\n\nsecond")
    before = text.lines(60, LOOK)
    text.feed(" goes on\n\nthird")
    after = text.lines(60, LOOK)
    assert [line is other for line, other in zip(before[:3], after[:3], strict=True)] == [True] * 3


def test_an_open_list_or_fence_is_not_final() -> None:
    text = MarkdownText()
    text.feed("```\ncode\n\n# no heading\n")
    assert "# no heading" in "\n".join(rows(text))
    text.feed("```\n- a\n\n  still a\n")
    assert rows(text)[-1].startswith("  still a")


def test_wrapped_lines_are_copied_as_one() -> None:
    source = "A paragraph that is far too long for a narrow terminal and is wrapped more than once, surely.\n\nnext"
    assert copied(at_once(source).lines(30, LOOK, 2)) == source


def test_code_is_copied_without_its_frame_and_its_wraps() -> None:
    code = "def main():\n    return '" + "x" * 80 + "'"
    assert copied(at_once(f"```python\n{code}\n```").lines(40, LOOK, 2)) == code


def test_a_quote_is_copied_without_its_bar_and_a_list_with_its_marks() -> None:
    assert copied(at_once("> said\n> so").lines(40, LOOK)) == "said\nso"
    assert copied(at_once("- one\n- two\n  1. deep").lines(40, LOOK)) == "• one\n• two\n  1. deep"


def links(lines: Lines) -> set[str]:
    return {str(one.style.link) for line in lines for one in line.strip if one.style and one.style.link}


def test_only_web_links_reach_the_terminal_and_nothing_breaks_out_of_them() -> None:
    source = (
        "[a](https://x.y/z%20) [b](javascript:alert(1)) [c](file:///etc/passwd) [d](<https://x.y/\x1b]8;;evil\x07>)"
    )
    found = links(at_once(source).lines(100, LOOK))
    assert "https://x.y/z%20" in found
    assert all(link.startswith("https://x.y/") and link.isprintable() and " " not in link for link in found)


def test_a_link_says_where_it_leads() -> None:
    assert rows(at_once("[bank](https://evil.example)")) == ["bank (https://evil.example)"]
    assert rows(at_once("<https://a.example>")) == ["https://a.example"]


def test_html_is_text() -> None:
    assert rows(at_once("<b>x</b>\n\n<script>y</script>")) == ["<b>x</b>", "", "<script>y</script>"]


@pytest.mark.parametrize("width", [12, 20, 30, 60, 120])
def test_a_table_fits_and_loses_nothing(width: int) -> None:
    source = "| name | what it does for you | n |\n|:--|:-:|--:|\n| alpha beta | counts 漢字 words | 12 |\n| b |\n"
    lines = at_once(source).lines(width, LOOK)
    assert all(line.strip.cell_length == width for line in lines)
    letters = "".join("".join(line.text.split()) for line in lines)
    for word in ("alpha", "counts", "words", "12"):
        assert word in letters or width < 30


def test_a_line_of_a_megabyte_is_cut() -> None:
    for source in ("x" * 1_000_000, "word " * 200_000, "```\n" + "y" * 1_000_000 + "\n```"):
        lines = at_once(source).lines(100, LOOK)
        assert len(lines) < 400
        assert "more characters" in "".join(line.text for line in lines)


def test_a_large_code_block_is_coloured_only_where_it_is_looked_at() -> None:
    source = "```python\n" + "x = 'text'  # remark\n" * 5_000 + "```"
    lines = at_once(source).lines(80, LOOK)
    assert len(lines) == 5_001
    colours = {str(one.style.color.name) for one in lines[4_000].strip if one.style and one.style.color}
    assert len(colours) > 2


def test_an_unknown_language_is_plain_and_nothing_is_guessed() -> None:
    for source in ("```nolang\nimport os\n```", "```\nimport os\n```"):
        line: Line = at_once(source).lines(40, LOOK)[-1]
        assert len({one.style for one in line.strip if one.text.strip()}) == 1


@given(st.text(st.sampled_from("ab 漢字👍é\u0301\n-"), max_size=120), st.integers(1, 20))
@settings(deadline=None)
def test_wrapping_loses_nothing_and_keeps_the_width(text: str, width: int) -> None:
    back = ""
    for segments, used, join in wrap([(text, LOOK.text)], width):
        row = "".join(segment.text for segment in segments)
        assert used == cell_len(row)
        assert used <= max(width, 2)
        back += row if not back and join is None else ("\n" if join is None else join) + row
    squeeze = str.maketrans("", "", " \n")
    assert back.translate(squeeze) == text.translate(squeeze)
    assert back.count("\n") <= text.count("\n")


def test_tasks_and_headings_and_rules_have_their_signs() -> None:
    shown = rows(at_once(ANSWER + "\n- [ ] open\n- [x] done\n\n---\n"))
    assert shown[0] == "Result"
    assert "• ☐ open" in shown
    assert "• ☑ done" in shown
    assert shown[-1] == "─" * 60
