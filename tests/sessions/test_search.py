"""Finding what was said: any query, the best first, with its surroundings, and only what people and models said."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from kram.base import SystemClock
from kram.messages import Entry, Kind, entry
from kram.sessions import SUBAGENT_TITLE, Store
from kram.sessions.schema import MIGRATIONS
from kram.sessions.search import _Found, near_ties_newest_first
from kram.sessions.words import excerpt, words


class SteppingClock(SystemClock):
    """A day later with every look, so that ages are clear."""

    def __init__(self) -> None:
        self.now = 10**18

    def now_ns(self) -> int:
        self.now += 86_400 * 10**9
        return self.now


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "kram.db"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    with Store.open(path, SteppingClock()) as opened:
        yield opened


def filled(store: Store, *texts: str | Entry, workspace: str = "/w", title: str = "") -> str:
    session = store.create(workspace, title).id
    for number, text in enumerate(texts):
        kind = Kind.ASSISTANT if number % 2 else Kind.USER
        store.append(session, entry(kind, text) if isinstance(text, str) else text)
    return session


def found(store: Store, query: str, **how: object) -> list[str]:
    return [hit.said.text for hit in store.search(query, **how)]  # type: ignore[arg-type]


ODD_QUERIES = [
    "", " ", '"', "'", "*", "foo*", "foo AND", "OR", "NOT", "NEAR(a b", "a NEAR/3 b", "(", ")", "said:foo", "text : x", "-", "--",
    "a-b_c", "^start", "{col}", "\0", "\x1b[31m", "%", "_", "\\", "foo\"bar", ";DROP TABLE said", "C++", "c#", "a+b", ":::", "💥",
    "é̀", "ＡＢＣ", "数据库", "数据 library", "ไทย", "한국어", "ﷺ", "İ", "ß", "\ud800", "a" * 10_000, "x " * 5_000, "🙂 foo",
]  # fmt: skip


@pytest.mark.parametrize("query", ODD_QUERIES)
def test_no_query_is_an_error(store: Store, query: str) -> None:
    filled(store, "some foo and a bar 数据库 in C++")
    store.search(query)
    store.said_in(query, workspace="/w")


def test_no_query_of_random_characters_is_an_error(store: Store) -> None:
    filled(store, "some foo and a bar")
    dice = random.Random(7)
    for _ in range(300):
        query = "".join(chr(dice.choice([dice.randrange(32, 127), dice.randrange(0x20, 0x3000)])) for _ in range(12))
        store.search(query)


def test_all_words_must_occur_whatever_stands_between_them(store: Store) -> None:
    filled(store, "The retry-budget is 30 s.", "ok")
    filled(store, "The budget of a retry", "ok")
    filled(store, "Only a budget", "ok")
    assert len(found(store, "retry budget")) == 2
    assert len(found(store, '"retry" (budget)!')) == 2
    assert found(store, "retry budget elephant") == []


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("Straße und Café", "cafe"),
        ("НАЙТИ это", "найти"),
        ("我们使用数据库连接", "数据库"),
        ("これはテストです", "テスト"),
        ("ภาษาไทยง่าย", "ไทย"),
    ],
)
def test_words_of_any_script_are_found(store: Store, text: str, query: str) -> None:
    filled(store, text)
    assert found(store, query) == [text]


def test_while_it_is_typed_the_last_word_is_a_beginning_and_sessions_are_listed_newest_first(store: Store) -> None:
    def listed(query: str) -> list[str]:
        return [hit.said.text for hit in store.said_in(query, workspace="/w")]

    filled(store, "the migration of tables", "migration " * 9)
    filled(store, "a migration elsewhere", workspace="/elsewhere")
    filled(store, "the migraine of tables")
    assert found(store, "the migr") == []
    assert listed("the migr") == ["the migraine of tables", "the migration of tables"]
    assert listed("th migration") == []
    assert len(listed("migration")) == 1, "a session is listed once"
    (hit,) = store.said_in("migration", workspace="/w")
    assert (hit.before, hit.after) == ((), ())


def test_only_what_people_and_models_said_is_found(store: Store) -> None:
    kinds = (Kind.TOOL_CALL, Kind.TOOL_RESULT, Kind.NOTIFICATION, Kind.COMPACTION, "host-kind")
    hidden = [entry(kind, "zebra", tool_call_id="c") for kind in kinds]
    filled(store, *hidden)
    assert found(store, "zebra") == []
    filled(store, "a zebra", "the zebra", *hidden)
    (hit,) = store.search("zebra", limit=50)
    assert hit.said.by == "assistant"
    assert [one.text for one in hit.before] == ["a zebra"], "a neighbour of a match is no match of its own"


def test_a_match_comes_with_three_before_and_three_after_of_its_own_session(store: Store) -> None:
    texts = [f"number {number}" for number in range(12)]
    texts[6] = "the needle"
    filled(store, "another session")
    session = filled(store, *texts)
    filled(store, "yet another")
    (hit,) = store.search("needle")
    assert hit.session_id == session
    assert [one.text for one in hit.before] == ["number 3", "number 4", "number 5"]
    assert [one.text for one in hit.after] == ["number 7", "number 8", "number 9"]


def test_neighbours_leave_out_tools_and_name_what_a_model_summarised(store: Store) -> None:
    marker = entry(Kind.COMPACTION, "earlier: much was done")
    calls = [entry(Kind.TOOL_CALL, "{}", tool_call_id="c"), entry(Kind.TOOL_RESULT, "out", tool_call_id="c")]
    filled(store, "first", marker, "a needle", *calls, entry(Kind.ASSISTANT, " "), entry(Kind.ASSISTANT, "last"))
    (hit,) = store.search("needle")
    assert [(one.by, one.text) for one in hit.before] == [("user", "first"), ("summary", "earlier: much was done")]
    assert [one.text for one in hit.after] == ["last"]


def test_long_texts_are_cut_around_the_word(store: Store) -> None:
    filled(store, "x " * 3_000 + "needle" + " y" * 3_000, "z" * 5_000)
    (hit,) = store.search("needle")
    assert "needle" in hit.said.text
    assert len(hit.said.text) == 400
    assert len(hit.after[0].text) == 400


def test_an_excerpt_is_never_longer_than_asked(store: Store) -> None:
    for limit in (10, 400):
        for place in (0, 3, 395, 700, 1_194):
            text = "a" * place + "needle" + "b" * (1_194 - place)
            cut = excerpt(text, ("needle",), limit)
            assert len(cut) == limit
            assert "need" in cut


def test_this_workspace_by_default_and_all_on_request(store: Store) -> None:
    filled(store, "needle here", workspace="/here")
    filled(store, "needle there", workspace="/there")
    assert found(store, "needle", workspace="/here") == ["needle here"]
    assert sorted(found(store, "needle")) == ["needle here", "needle there"]


def test_subagents_are_left_out_unless_asked_for(store: Store) -> None:
    filled(store, "needle of a helper", title=f"{SUBAGENT_TITLE}look")
    filled(store, "needle of the person")
    assert found(store, "needle") == ["needle of the person"]
    assert len(found(store, "needle", subagents=True)) == 2


def test_what_the_asking_session_still_sees_is_left_out(store: Store) -> None:
    session = filled(store, "needle old", "needle answer", "needle new")
    first, *_ = store.entries(session)
    store.compact(session, entry(Kind.COMPACTION, "folded"), [first.id])
    assert found(store, "needle", seen_in=session) == ["needle old"]


def test_a_fork_does_not_double_what_is_found(store: Store) -> None:
    session = filled(store, "needle")
    store.fork(session)
    assert found(store, "needle") == ["needle"]
    store.delete(session)
    assert found(store, "needle") == ["needle"], "the copy is indexed on its own"


def test_what_is_deleted_is_found_no_more_and_its_words_leave_the_file(store: Store, path: Path) -> None:
    session = filled(store, "xylophonequartz")
    filled(store, "something else")
    store.delete(session)
    assert found(store, "xylophonequartz") == []
    store.close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab (main, said, row)")
        terms = [term for (term,) in connection.execute("SELECT term FROM temp.vocabulary")]
        blocks = [block for (block,) in connection.execute("SELECT block FROM said_data")]
    assert "xylophonequartz" not in terms
    assert not any(b"ylophonequartz" in block for block in blocks)


def test_a_better_match_comes_first_and_of_equals_the_newest(store: Store) -> None:
    filled(store, "needle " * 6)
    filled(store, "one needle and " + "much hay " * 150)
    filled(store, "one needle or " + "more hay " * 150)
    hits = store.search("needle")
    assert [hit.said.text[:9] for hit in hits] == ["needle ne", "one needl", "one needl"]
    assert "or" in hits[1].said.text[:16]


def test_scores_within_a_fifth_of_the_groups_best_are_ties() -> None:
    def one(number: int, score: float, at: int) -> _Found:
        return _Found(number, score, at, "s", "", "")

    scores = [one(1, -10, 1), one(2, -9, 3), one(3, -8, 2), one(4, -7.9, 9), one(5, -6.4, 10), one(6, -6.3, 11)]
    assert [found.seq for found in near_ties_newest_first(scores)] == [2, 3, 1, 5, 4, 6]


def test_what_an_older_kram_stored_is_found_too(path: Path) -> None:
    path.parent.mkdir(parents=True)
    with closing(sqlite3.connect(path)) as connection, connection:
        for statements in MIGRATIONS[:2]:
            for statement in statements:
                connection.execute(statement)
        connection.execute("PRAGMA user_version = 2")
        connection.execute("INSERT INTO sessions VALUES ('ses_1', 'Old', '/w', '', 1, 2, 4)")
        bodies = [
            b'{"id":"e%d","kind":"user","content":"old needle %d","created_at":%d}' % (n, n, n) for n in range(1200)
        ]
        bodies[7] = b"{torn"
        rows = [(f"e{number}", number, body) for number, body in enumerate(bodies)]
        connection.executemany(
            "INSERT INTO entries (session_id, id, kind, created_at, body) VALUES ('ses_1', ?, 'user', ?, ?)", rows
        )
    with Store.open(path, SystemClock()) as store:
        store.append("ses_1", entry(Kind.USER, "new needle"))
        assert store.index_more(rows=100), "a little at a time"
        assert found(store, "needle 3") == ["old needle 3"]
        assert found(store, "new needle") == ["new needle"]
        assert not store.index_more()
        assert len(store.search("needle", limit=2_000)) > 50


def test_a_word_list_is_quoted_run_by_run() -> None:
    assert words('foo "bar*" (baz)').match == '"foo" AND "bar" AND "baz"'
    assert not words("?!… ---")
