"""A process that writes a session until it is killed, and says on stdout what is on disk: `python -m … DB SESSION MODE`.

Modes: `turns` writes turns as an agent does, effects included; `full` appends until the store refuses and prints why;
`hold` takes the session and waits; `fork`, `compact` and `uncompact` do that once.
"""

from __future__ import annotations

import sys
from pathlib import Path

from kram.base import SystemClock
from kram.messages import Kind, entry
from kram.sessions import DecisionRecord, Store, StoreError, restore


def say(*words: str) -> None:
    print(*words, flush=True)


def turns(store: Store, session: str, effects: Path) -> None:
    restore(store, session)
    number = 0
    while True:
        number += 1
        say("entry", store.append(session, entry(Kind.USER, f"question {number}"))[0].id)
        answer, call = entry(Kind.ASSISTANT, f"answer {number} " * 20), f"call-{entry(Kind.USER).id}"
        for end in range(20, 200, 20):
            store.save_partial(session, answer.id, answer.content[:end], "", "srv/m")
            say("partial", answer.id, str(end))
        asked = entry(Kind.TOOL_CALL, '{"n": 1}', tool_call_id=call, tool_name="bash")
        for stored in store.append(session, answer, asked):
            say("entry", stored.id)
        store.decide(session, DecisionRecord(call_id=call, tool="bash", arguments="{}", decision="allow", by="policy"))
        with effects.open("a") as file:
            file.write(f"{call}\n")
        result = entry(Kind.TOOL_RESULT, "done", tool_call_id=call, tool_name="bash")
        say("entry", store.append(session, result)[0].id)


def full(store: Store, session: str) -> None:
    refused = 0
    while refused < 5:
        try:
            say("entry", store.append(session, entry(Kind.USER, "x" * 3000))[0].id)
        except StoreError as failure:
            refused += 1
            say("refused", failure.text())


def main(path: str, session: str, mode: str) -> None:
    store = Store.open(Path(path), SystemClock())
    match mode:
        case "turns":
            turns(store, session, Path(path).with_name(f"effects-{session}"))
        case "full":
            full(store, session)
        case "hold":
            store.acquire(session)
            say("held")
            sys.stdin.read()
        case "fork":
            store.fork(session)
        case "compact":
            entries = store.entries(session)
            marker = entry(Kind.COMPACTION, "summary", at_ns=entries[-2].created_at)
            store.compact(session, marker, [one.id for one in entries[:-1]])
        case "uncompact":
            marker = next(one for one in store.entries(session) if one.kind == Kind.COMPACTION)
            store.uncompact(session, marker.id, entry(Kind.NOTIFICATION, "back", tag="uncompacted"))


if __name__ == "__main__":
    main(*sys.argv[1:])
