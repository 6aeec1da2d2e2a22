"""What the store keeps, in which order, and what it never keeps."""

from __future__ import annotations

import json
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from kram.base import Redactor, SystemClock
from kram.messages import Attempt, Entry, ImageBlock, Kind, Route, TextBlock, ThinkingBlock, entry
from kram.sessions import DecisionRecord, NoSession, Store

KEY = "canary-5f1c9e27d3b84a60"
SHAPED = "sk-ant-api03-" + "Ab1" * 20


class SetClock(SystemClock):
    """Shows the wall time it was set to."""

    def __init__(self, now_ns: int = 1_000_000_000) -> None:
        self.now = now_ns

    def now_ns(self) -> int:
        return self.now


@pytest.fixture
def clock() -> SetClock:
    return SetClock()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "kram.db"


@pytest.fixture
def store(path: Path, clock: SetClock) -> Iterator[Store]:
    with Store.open(path, clock, Redactor([KEY])) as opened:
        yield opened


def said(*texts: str) -> list[Entry]:
    return [entry(Kind.USER, text) for text in texts]


def contents(entries: list[Entry]) -> list[str]:
    return [one.content for one in entries]


def test_an_entry_comes_back_as_it_was_stored(store: Store) -> None:
    session = store.create("/w")
    parts = (ThinkingBlock(thinking="hm", signature="c2ln"), TextBlock(text="yes"), ImageBlock(data="aGk="))
    sent = entry(Kind.ASSISTANT, "yes", parts=parts, model="a/b", details={"n": [1, {"deep": "ü\n"}]}, origin="host")
    stored = store.append(session.id, sent)
    assert store.entries(session.id) == stored
    assert stored[0].parts == parts
    assert dict(stored[0].details) == {"n": [1, {"deep": "ü\n"}]}


@pytest.mark.parametrize("jump", [0, -10 * 365 * 86_400 * 10**9, 5 * 365 * 86_400 * 10**9])
def test_order_is_that_of_writing_whatever_the_wall_clock_does(store: Store, clock: SetClock, jump: int) -> None:
    clock.now = 10**18
    session = store.create("/w")
    store.append(session.id, *said("a", "b"))
    clock.now += jump
    store.append(session.id, *said("c"))
    clock.now = 10**18
    store.append(session.id, *said("d", "e"))
    found = store.entries(session.id)
    assert contents(found) == list("abcde")
    times = [one.created_at for one in found]
    assert times == sorted(set(times))


def test_a_result_is_later_than_its_decision_and_the_decision_later_than_its_call(store: Store) -> None:
    session = store.create("/w")
    (call,) = store.append(session.id, entry(Kind.TOOL_CALL, "{}", tool_call_id="c"))
    decision = store.decide(
        session.id, DecisionRecord(call_id="c", tool="bash", arguments="{}", decision="allow", by="policy")
    )
    (result,) = store.append(session.id, entry(Kind.TOOL_RESULT, "ok", tool_call_id="c"))
    assert call.created_at < decision.at < result.created_at
    assert store.decisions(session.id, "c") == [decision]
    assert store.decisions(session.id, "other") == []


@pytest.mark.parametrize("count", [1, 3, 7, 50])
def test_a_long_session_is_read_from_its_end_page_by_page(store: Store, count: int) -> None:
    session = store.create("/w")
    store.append(session.id, *said(*map(str, range(20))))
    pages = [store.tail(session.id, count)]
    while pages[0] and (page := store.entries_before(session.id, pages[0][0], count)):
        assert len(page) <= count
        pages.insert(0, page)
    assert [one for page in pages for one in page] == store.entries(session.id)


def test_pages_lose_nothing_where_a_marker_has_the_time_of_another_entry(store: Store) -> None:
    session = store.create("/w")
    stored = store.append(session.id, *said("a", "b", "c"))
    store.compact(session.id, entry(Kind.COMPACTION, "sum", at_ns=stored[1].created_at), [stored[0].id, stored[1].id])
    pages = store.tail(session.id, 1)
    while earlier := store.entries_before(session.id, pages[0], 1):
        pages = [*earlier, *pages]
    assert pages == store.entries(session.id)
    assert len(pages) == 4


def test_a_compaction_hides_what_it_stands_for_and_nothing_is_lost(store: Store) -> None:
    session = store.create("/w")
    stored = store.append(session.id, *said("a", "b", "c"))
    marker = entry(Kind.COMPACTION, "a and b", at_ns=stored[1].created_at)
    store.compact(session.id, marker, [stored[0].id, stored[1].id])
    assert contents(store.entries(session.id, after_compaction=True)) == ["a and b", "c"]
    assert {one.content for one in store.entries(session.id)} == {"a", "b", "c", "a and b"}
    assert store.get(session.id).entries == 4


def test_a_session_is_named_by_the_first_words_of_the_person_unless_it_has_a_name(store: Store) -> None:
    plain, named = store.create("/w"), store.create("/w", "Mine")
    for session in (plain, named):
        store.append(session.id, entry(Kind.NOTIFICATION, "hello"))
        store.append(session.id, *said("  fix\n the   parser " + "and so on " * 20))
        store.append(session.id, *said("something else"))
    title = store.get(plain.id).title
    assert title.startswith("fix the parser and so on")
    assert len(title) <= 60
    assert store.get(named.id).title == "Mine"


def test_lists_show_sessions_of_a_workspace_newest_first_and_no_empty_ones(store: Store, clock: SetClock) -> None:
    old, new, other, _empty = store.create("/w"), store.create("/w"), store.create("/v"), store.create("/w")
    for session in (old, new, other):
        clock.now += 1000
        store.append(session.id, *said("x"))
    assert [one.id for one in store.sessions("/w")] == [new.id, old.id]
    assert {one.id for one in store.sessions()} == {old.id, new.id, other.id}
    clock.now += 1000
    store.append(old.id, *said("y"))
    assert [one.id for one in store.sessions("/w")] == [old.id, new.id]
    assert store.get(old.id).entries == 2


def test_a_fork_has_everything_and_goes_its_own_way(store: Store) -> None:
    session = store.create("/w", "Work")
    store.append(session.id, *said("a"), entry(Kind.TOOL_CALL, "{}", tool_call_id="c"))
    store.decide(session.id, DecisionRecord(call_id="c", tool="t", arguments="{}", decision="once", by="person"))
    store.save_route(session.id, Route(id="r"))
    store.put_state(session.id, "todos", ["one"])
    copy = store.fork(session.id)
    assert (copy.parent, copy.title, copy.entries) == (session.id, "Work (copy)", 2)
    assert store.entries(copy.id) == store.entries(session.id)
    assert store.decisions(copy.id) == store.decisions(session.id)
    assert store.routes(copy.id) == store.routes(session.id)
    assert store.get_state(copy.id, "todos") == b'["one"]'
    store.append(copy.id, *said("b"))
    assert (store.get(session.id).entries, store.get(copy.id).entries) == (2, 3)


def test_a_deleted_session_leaves_nothing(store: Store, path: Path) -> None:
    session, kept = store.create("/w"), store.create("/w")
    store.append(session.id, *said("to be forgotten"))
    store.append(kept.id, *said("kept"))
    store.decide(session.id, DecisionRecord(call_id="c", tool="t", arguments="{}", decision="once", by="person"))
    store.save_partial(session.id, "p", "to be forgotten", "", "")
    store.save_route(session.id, Route(id="r", combo="to be forgotten"))
    store.put_state(session.id, "todos", "to be forgotten")
    store.delete(session.id)
    with pytest.raises(NoSession, match=session.id):
        store.get(session.id)
    assert store.entries(session.id) == store.decisions(session.id) == store.partials(session.id) == []
    assert store.get_state(session.id, "todos") is None
    assert contents(store.entries(kept.id)) == ["kept"]
    store.close()
    assert b"to be forgotten" not in path.read_bytes()


@pytest.mark.parametrize("act", ["append", "compact", "decide", "rename", "delete", "fork", "acquire", "save_route"])
def test_an_unknown_session_is_named_and_the_way_to_the_known_ones_told(store: Store, act: str) -> None:
    arguments = {
        "append": said("x"),
        "compact": [entry(Kind.COMPACTION, "x", at_ns=1), []],
        "decide": [DecisionRecord(call_id="c", tool="t", arguments="{}", decision="once", by="person")],
        "rename": ["x"],
        "save_route": [Route(id="r")],
    }
    with pytest.raises(NoSession, match=r"ses_0.*kram sessions list") as caught:
        getattr(store, act)("ses_0", *arguments.get(act, []))
    assert caught.value.exit_code == 2


def test_routes_come_back_in_order_and_only_as_many_as_are_wanted(store: Store) -> None:
    session = store.create("/w")
    for number in range(5):
        attempt = Attempt(number=1, provider="p", model="m", outcome="success")
        store.save_route(session.id, Route(id=str(number), attempts=(attempt,), winner="p/m"))
    assert [route.id for route in store.routes(session.id, 3)] == ["2", "3", "4"]
    assert store.routes(session.id)[0].attempts[0].name == "p/m"


def test_prompts_are_kept_by_workspace_without_blanks_and_repeats(store: Store) -> None:
    for text in ("a", "a", "  ", "b", "a"):
        store.add_prompt("/w", text)
    store.add_prompt("/v", "elsewhere")
    assert store.prompts("/w") == ["a", "b", "a"]
    assert store.prompts("/w", 2) == ["b", "a"]


def test_old_prompts_make_room(store: Store) -> None:
    for number in range(1010):
        store.add_prompt("/w", str(number))
    store.add_prompt("/v", "elsewhere")
    assert store.prompts("/w", 5000) == [str(number) for number in range(10, 1010)]


def test_an_unsent_draft_is_there_again(store: Store, path: Path, clock: SetClock) -> None:
    store.set_draft("/w", "half a tho\nught ü")
    store.close()
    with Store.open(path, clock) as again:
        assert again.draft("/w") == "half a tho\nught ü"
        assert again.draft("/v") == ""


def test_halves_of_characters_do_not_stop_the_record(store: Store) -> None:
    session = store.create("/w")
    store.append(session.id, entry(Kind.TOOL_RESULT, "a\ud800b", details={"\udfff": ["\udc80"]}))
    store.save_partial(session.id, "p", "\ud83d", "\ud83d", "")
    store.add_prompt("/w", "\ud800")
    store.put_state("/w", "draft", "\ud800")
    store.decide(session.id, DecisionRecord(call_id="c", tool="t", arguments="\ud800", decision="once", by="person"))
    assert store.entries(session.id)[0].content == "a?b"


def put_everywhere(store: Store, secret: str) -> str:
    """Writes a secret by every door of the store."""
    session = store.create("/w", f"title {secret}")
    arguments = json.dumps({"content": f"KEY={secret}"})
    thinking = ThinkingBlock(thinking=f"it is {secret}", signature="c2ln")
    store.append(session.id, entry(Kind.USER, f"use {secret} please"))
    store.append(session.id, entry(Kind.ASSISTANT, secret, parts=(thinking, TextBlock(text=f"`{secret}`"))))
    store.append(session.id, entry(Kind.TOOL_CALL, arguments, tool_call_id="c", tool_name="write_file"))
    store.append(session.id, entry(Kind.TOOL_RESULT, f"+{secret}\n", details={"diff": {"lines": [f"+{secret}"]}}))
    store.compact(session.id, entry(Kind.COMPACTION, f"they gave {secret}", at_ns=1), [])
    store.decide(
        session.id,
        DecisionRecord(call_id="c", tool="t", arguments=arguments, decision="once", by="person", reason=secret),
    )
    failed = Attempt(number=1, provider="p", model="m", reason=f"bad key {secret}")
    store.save_route(session.id, Route(id="r", attempts=(failed,)))
    store.save_partial(session.id, "p", f"so {secret}", secret, "p/m")
    store.add_prompt("/w", f"try {secret}")
    store.set_draft("/w", f"try {secret}")
    store.put_state("x", "y", {"a": [secret]})
    store.rename(session.id, f"{secret} again")
    return session.id


@pytest.mark.parametrize("secret", [KEY, SHAPED, "ghp_" + "a1" * 20, "AKIAABCDEFGHIJKLMNOP"])
def test_no_secret_is_ever_in_a_file_of_the_store(store: Store, path: Path, secret: str) -> None:
    session = put_everywhere(store, secret)
    for file in path.parent.iterdir():
        assert secret.encode() not in file.read_bytes(), file
    call = next(one for one in store.entries(session) if one.kind == Kind.TOOL_CALL)
    assert json.loads(call.content) == {"content": "KEY=[redacted]"}
    assert secret not in repr(store.entries(session)) + repr(store.decisions(session)) + repr(store.routes(session))


def test_what_is_told_after_storing_is_what_was_stored(store: Store) -> None:
    session = store.create("/w")
    told = store.append(session.id, entry(Kind.USER, f"key {KEY}"))
    assert told == store.entries(session.id)
    assert told[0].content == "key [redacted]"


def test_arguments_stay_json_where_a_private_key_has_no_end(store: Store) -> None:
    session = store.create("/w")
    arguments = json.dumps({"path": "id", "content": "-----BEGIN RSA PRIVATE KEY-----\nMIIE", "after": "kept"})
    (call,) = store.append(session.id, entry(Kind.TOOL_CALL, arguments, tool_call_id="c"))
    assert json.loads(call.content) == {"path": "id", "content": "[redacted]", "after": "kept"}


def test_thinking_that_had_to_be_changed_has_no_signature_any_more(store: Store) -> None:
    session = store.create("/w")
    blocks = (ThinkingBlock(thinking=KEY, signature="c2ln"), ThinkingBlock(thinking="clean", signature="c2ln"))
    (stored,) = store.append(session.id, entry(Kind.ASSISTANT, "", parts=blocks))
    assert stored.parts == (ThinkingBlock(thinking="[redacted]"), blocks[1])


def test_the_hash_of_a_decision_is_that_of_the_true_arguments(store: Store) -> None:
    session = store.create("/w")
    one, other = (
        store.decide(session.id, DecisionRecord(call_id="c", tool="t", arguments=a, decision="once", by="person"))
        for a in (f'{{"a":"{KEY}"}}', '{"a":"[redacted]"}')
    )
    assert one.arguments == other.arguments
    assert one.hash != other.hash


def test_the_store_is_its_owners_alone(store: Store, path: Path) -> None:
    store.append(store.create("/w").id, *said("x"))
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert {stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()} == {0o600}
