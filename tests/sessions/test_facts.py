"""Facts: whose they are, how much fits, what is refused, and that no search fails."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from kram.base import Redactor, SystemClock, UsageError
from kram.sessions import Store
from kram.sessions.facts import MAX_CHARS
from tests.sessions.test_search import ODD_QUERIES

KEY = "canary-5f1c9e27d3b84a60"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "kram.db"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    with Store.open(path, SystemClock(), Redactor([KEY])) as opened:
        yield opened


def contents(store: Store, workspace: str = "/a") -> list[str]:
    return [fact.content for fact in store.facts(workspace)]


def test_a_fact_of_a_project_is_its_own_and_a_global_one_is_everywhere(store: Store, path: Path) -> None:
    store.add_fact("/a", "tests run with make check")
    store.add_fact("/a", "answer in English", everywhere=True)
    assert contents(store, "/b") == ["answer in English"]
    assert sorted(contents(store)) == ["answer in English", "tests run with make check"]
    with Store.open(path, SystemClock()) as another:
        assert contents(another, "/c") == ["answer in English"]
    assert [fact.scope for fact in store.facts("/b")] == ["global"]


def test_pinned_come_first_then_the_latest_changed(store: Store) -> None:
    first, second, third = (store.add_fact("/a", text) for text in ("one", "two", "three"))
    assert contents(store) == ["three", "two", "one"]
    store.change_fact("/a", first.id, content="one again")
    store.change_fact("/a", second.id, pinned=True)
    assert contents(store) == ["two", "one again", "three"]
    assert store.facts("/a")[0].pinned
    assert third.created_at <= store.facts("/a")[1].updated_at


def test_ids_are_not_given_twice(store: Store) -> None:
    one = store.add_fact("/a", "one")
    store.remove_fact("/a", one.id)
    assert store.add_fact("/a", "two").id != one.id


@pytest.mark.parametrize("everywhere", [False, True])
def test_no_scope_grows_over_its_room_by_adding_changing_or_moving(store: Store, everywhere: bool) -> None:
    filler = store.add_fact("/a", "x" * (MAX_CHARS - 100), everywhere=everywhere)
    small = store.add_fact("/a", "y" * 100, everywhere=everywhere)
    moved = store.add_fact("/a", "z", everywhere=not everywhere)
    for attempt in (
        lambda: store.add_fact("/a", "w", everywhere=everywhere),
        lambda: store.change_fact("/a", small.id, content="y" * 101),
        lambda: store.change_fact("/a", moved.id, everywhere=everywhere),
    ):
        with pytest.raises(UsageError) as refused:
            attempt()
        assert f"#{filler.id} xxx" in str(refused.value), "what is there is listed with its ids"
        assert str(MAX_CHARS) in str(refused.value)
    store.change_fact("/a", small.id, content="y" * 99 + "!")
    store.change_fact("/a", small.id, pinned=True)
    used = sum(len(fact.content) for fact in store.facts("/a") if (fact.scope == "global") == everywhere)
    assert used == MAX_CHARS


def test_another_projects_facts_cannot_be_changed_or_removed(store: Store) -> None:
    own = store.add_fact("/a", "mine")
    for attempt in (lambda: store.change_fact("/b", own.id, content="no"), lambda: store.remove_fact("/b", own.id)):
        with pytest.raises(UsageError, match="no fact"):
            attempt()
    assert contents(store) == ["mine"]


@pytest.mark.parametrize("fact_id", ["", "m", "m0", "m99", "x1", "m1; DROP", "m" + "9" * 40, "#", "m-1", "\0"])
def test_an_unknown_id_is_told(store: Store, fact_id: str) -> None:
    with pytest.raises(UsageError, match="no fact"):
        store.remove_fact("/a", fact_id)


def test_the_id_may_be_written_as_it_is_shown(store: Store) -> None:
    fact = store.add_fact("/a", "one")
    assert store.remove_fact("/a", f"#{fact.id}").content == "one"


@pytest.mark.parametrize("secret", [KEY, "sk-ant-api03-" + "Ab1" * 20, "postgres://app:hunter22@db/x"])
def test_a_secret_is_refused_and_reaches_no_disk(store: Store, path: Path, secret: str) -> None:
    kept = store.add_fact("/a", "the key is in the vault")
    for attempt in (
        lambda: store.add_fact("/a", f"the key is {secret}"),
        lambda: store.change_fact("/a", kept.id, content=f"it is {secret}"),
    ):
        with pytest.raises(UsageError, match="secret") as refused:
            attempt()
        assert secret not in str(refused.value)
    assert contents(store) == ["the key is in the vault"]
    store.close()
    assert all(secret.encode() not in file.read_bytes() for file in path.parent.iterdir() if file.is_file())


def test_a_fact_is_one_line_and_never_empty_or_double(store: Store) -> None:
    assert store.add_fact("/a", "two\n# lines\n").content == "two # lines"
    for nothing in ("", " \n "):
        with pytest.raises(UsageError):
            store.add_fact("/a", nothing)
    with pytest.raises(UsageError, match="known already"):
        store.add_fact("/a", "two # lines")


@pytest.mark.parametrize("query", ODD_QUERIES)
def test_no_search_is_an_error(store: Store, query: str) -> None:
    store.add_fact("/a", "some foo and a bar in C++")
    store.find_facts("/a", query)


def test_the_facts_with_the_most_words_come_first(store: Store) -> None:
    store.add_fact("/a", "the database runs in Docker")
    store.add_fact("/a", "tests need the Docker database")
    store.add_fact("/b", "docker elsewhere")
    store.add_fact("/a", "Café hours", everywhere=True)
    found = [fact.content for fact in store.find_facts("/a", "docker test")]
    assert found == ["tests need the Docker database", "the database runs in Docker"]
    assert [fact.content for fact in store.find_facts("/a", "cafe")] == ["Café hours"]
    assert store.find_facts("/a", "ocker") == [], "a word begins with what is looked for"
