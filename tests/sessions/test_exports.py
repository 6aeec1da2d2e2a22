"""Exports: a JSON round trip is the same session, a page needs nothing and runs nothing, Markdown keeps its blocks apart."""

from __future__ import annotations

import json
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from kram.base import SystemClock, UsageError
from kram.messages import Entry, ImageBlock, Kind, TextBlock, ThinkingBlock, Usage, entry
from kram.runtime.transfer import gather, take
from kram.sessions import Store
from kram.sessions.export import Exported, exported_text, file_name, format_of
from kram.sessions.export.markdown_form import fenced
from kram.sessions.imports import BadImport

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
HOSTILE = "</pre></div></details></main><script>alert(1)</script><img src=http://x/a.png onerror=alert(1)> \"' & \x1b[31m\u202e"
DIFF = f"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+new {HOSTILE}\n"
MARKDOWN = """# Head

![p](http://x/y.png) [run](javascript:alert(1)) <b>raw</b>

```py
x = 1
```

| a | b |
|---|---|
| 1 | 2 |

"""


def everything() -> list[Entry]:
    picture = ImageBlock(media_type="image/png", data=PNG)
    odd = ImageBlock(media_type='image/png"onload=x', data='"><script>', url="http://x/z.png")
    thinking = (ThinkingBlock(thinking=f"hm {HOSTILE}", signature="c2ln"), TextBlock(text="I edit."))
    return [
        entry(Kind.USER, f"do it {HOSTILE}", parts=(picture, odd)),
        entry(
            Kind.ASSISTANT, MARKDOWN + HOSTILE, parts=thinking, model=f"a/{HOSTILE}", usage=Usage(input=10, output=3)
        ),
        entry(
            Kind.TOOL_CALL,
            json.dumps({"path": f"x{HOSTILE}"}),
            tool_call_id="c1",
            tool_name=f"edit{HOSTILE}",
            model="a/b",
        ),
        entry(Kind.TOOL_RESULT, HOSTILE, tool_call_id="c1", tool_name="edit", details={"diff": DIFF, "duration_ms": 4}),
        entry(Kind.TOOL_CALL, "{not json", tool_call_id="c2", tool_name="bash"),
        entry(Kind.TOOL_RESULT, "boom ``` ````", tool_call_id="c2", tool_name="bash", is_error=True, parts=(picture,)),
        entry(Kind.TOOL_CALL, "{}", tool_call_id="c3", tool_name="open"),
        entry(Kind.NOTIFICATION, HOSTILE, tag=HOSTILE),
        entry(Kind.TOOL_RESULT, "orphan", tool_call_id="gone"),
        entry("host-kind", "x", origin="host"),
        entry(Kind.COMPACTION, f"summary {HOSTILE}"),
        entry(Kind.USER, "thanks"),
    ]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "kram.db", SystemClock()) as opened:
        yield opened


@pytest.fixture
def session(store: Store) -> str:
    made = store.create("/w", f"Title {HOSTILE}").id
    stored = store.append(made, *everything()[:-2])
    marker = entry(Kind.COMPACTION, everything()[-2].content, at_ns=stored[3].created_at + 1)
    store.compact(made, marker, [one.id for one in stored[:4]])
    store.append(made, everything()[-1])
    store.put_state(made, "todos", [{"content": "step", "status": "pending"}])
    return made


def facts(store: Store, session: str) -> dict[str, Any]:
    """What makes a session the same one under another id."""
    exported = gather(store, session)
    return {
        "title": exported.info.title,
        "entries": exported.entries,
        "folded": exported.folded,
        "todos": exported.todos,
        "view": store.entries(session, after_compaction=True),
        "count": exported.info.entries,
    }


def test_a_json_round_trip_gives_the_same_session(store: Store, session: str, tmp_path: Path) -> None:
    text = exported_text(gather(store, session), "json")
    again = take(store, Path("/elsewhere"), text.encode())
    assert again.session_id != session
    assert facts(store, again.session_id) == facts(store, session)
    assert store.get(again.session_id).workspace == "/elsewhere"
    with Store.open(tmp_path / "other.db", SystemClock()) as other:
        taken = take(other, Path("/w"), text.encode())
        assert facts(other, taken.session_id) == facts(store, session)
        assert [hit.session_id for hit in other.search("thanks")] == [taken.session_id], "it can be found"


def test_a_refused_import_changes_nothing(store: Store, session: str) -> None:
    value = json.loads(exported_text(gather(store, session), "json"))
    before = [store.get(session), len(store.sessions())]
    for spoilt in ({"entries": []}, {"entries": [{"id": 1}]}, {"todos": [3]}, {"version": 9}):
        with pytest.raises(BadImport):
            take(store, Path("/w"), json.dumps(value | spoilt).encode())
    assert [store.get(session), len(store.sessions())] == before


def test_secrets_in_an_imported_session_are_not_stored(store: Store) -> None:
    key = "sk-ant-api03-" + "Ab1" * 20
    value = {"messages": [{"role": "user", "content": f"my key is {key}"}]}
    taken = take(store, Path("/w"), json.dumps(value).encode())
    assert key not in store.entries(taken.session_id)[0].content


def test_times_are_kept_where_they_are_known_and_only_grow(store: Store) -> None:
    entries = [entry(Kind.USER, str(number), at_ns=at) for number, at in enumerate([50, 0, 40, 90, 2**62])]
    made = store.take_over("/w", tuple(entries))
    times = [one.created_at for one in store.entries(made)]
    assert times == [50, 51, 52, 90, 91]
    assert [one.content for one in store.entries(made)] == list("01234")
    store.append(made, entry(Kind.USER, "next"))
    assert store.entries(made)[-1].content == "next"


class Page(HTMLParser):
    """What a browser would do with a page: elements, attributes, and text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.open: list[str] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        if tag not in ("meta", "img", "br", "hr"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, f"</{tag}> closes something else"

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture
def page(store: Store, session: str) -> Page:
    return Page(exported_text(gather(store, session), "html"))


def test_a_page_runs_nothing_and_loads_nothing(page: Page) -> None:
    assert page.open == [], "every element is closed in order"
    allowed = {
        "html",
        "head",
        "meta",
        "title",
        "style",
        "body",
        "main",
        "h1",
        "p",
        "section",
        "div",
        "details",
        "summary",
        "span",
    }
    allowed |= {"pre", "code", "img", "table", "thead", "tbody", "tr", "th", "td", "a", "em", "strong"}
    assert set(page.tags) <= allowed
    assert not [
        name for name, _ in page.attributes if name.startswith("on") or name in ("srcset", "background", "action")
    ]
    sources = [value for name, value in page.attributes if name == "src"]
    assert sources == [f"data:image/png;base64,{PNG}"] * 2
    assert [value for name, value in page.attributes if name == "href" and value.startswith("javascript")] == []
    assert ("content", "default-src 'none'; style-src 'unsafe-inline'; img-src data:") in page.attributes
    assert "\x1b" not in page.text
    assert "\u202e" not in page.text


def test_a_page_shows_everything_that_was_said(page: Page) -> None:
    assert page.text.count("<script>alert(1)</script>") >= 9, "it is there, as text"
    for words in (
        "Head",
        "x = 1",
        "+new",
        "boom",
        "(no result)",
        "orphan",
        "summary",
        "thanks",
        "hm",
        "10 tokens in, 3 out",
        "4 ms",
    ):
        assert words in page.text
    assert page.tags.count("details") == 6
    assert ("class", "add") in page.attributes
    assert ("class", "del") in page.attributes


def test_a_page_is_readable_in_the_dark() -> None:
    made = exported_text(Exported(info=_info(), entries=()), "html")
    assert "prefers-color-scheme: dark" in made


def _info() -> Any:
    from kram.sessions import SessionInfo

    return SessionInfo(id="ses_1", title="A title: with/odd ../parts", workspace="/w", created_at=0, updated_at=0)


def test_markdown_keeps_its_blocks_apart(store: Store, session: str) -> None:
    from markdown_it import MarkdownIt

    text = exported_text(gather(store, session), "md")
    tokens = MarkdownIt("commonmark").parse(text)
    fences = [token.content for token in tokens if token.type == "fence"]
    assert "boom ``` ````\n" in fences
    assert any(fence.startswith("--- a/x") for fence in fences)
    assert "x = 1\n" in fences
    headings = [
        tokens[at + 1].content for at, token in enumerate(tokens) if token.type == "heading_open" and token.tag == "h2"
    ]
    assert headings[0] == "You"
    assert "Summary of what came before" in headings
    assert "\x1b" not in text


@pytest.mark.parametrize("text", ["", "x", "```", "`````\n```", "~~~"])
def test_no_text_closes_its_own_fence(text: str) -> None:
    from markdown_it import MarkdownIt

    (token,) = MarkdownIt("commonmark").parse(fenced(text))
    assert token.content.strip("\n") == text


def test_formats_go_by_name_or_ending() -> None:
    assert [format_of(name) for name in ("md", "markdown", "notes.MD", "x.html", "a.b.json", "core")] == [
        "md",
        "md",
        "md",
        "html",
        "json",
        "core",
    ]
    with pytest.raises(UsageError, match="md, html, json, core"):
        format_of("pdf")


def test_a_file_name_is_never_a_path() -> None:
    assert str(file_name(Exported(info=_info(), entries=()), "md")) == "a-title-with-odd-parts-_1.md".replace(
        "_1", "ses_1"[-6:]
    )
