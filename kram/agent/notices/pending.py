"""Notices that wait for the next model call. Of two about one thing only the newer waits."""

from __future__ import annotations

from kram.base import Data, new_id


class PendingNotice(Data):
    """`tag` says what it is about. `group` and `key` name the thing ("file", "a.py"); without them nothing replaces it."""

    id: str
    tag: str
    text: str
    group: str = ""
    key: str = ""


class Pending:
    """In the order they came. What was taken is shown, and stays whatever happens later."""

    def __init__(self) -> None:
        self._notices: list[PendingNotice] = []

    def publish(self, tag: str, text: str, *, group: str = "", key: str = "") -> PendingNotice:
        """Adds a notice, in place of the one that waits under the same tag and thing."""
        notice = PendingNotice(id=new_id(), tag=tag, text=text, group=group, key=key)
        if group and key:
            self._notices = [one for one in self._notices if (one.tag, one.group, one.key) != (tag, group, key)]
        self._notices.append(notice)
        return notice

    def clear(self, group: str, key: str) -> int:
        """Takes back what waits about a thing; how many there were."""
        before = len(self._notices)
        self._notices = [one for one in self._notices if (one.group, one.key) != (group, key)]
        return before - len(self._notices)

    def waiting(self) -> tuple[PendingNotice, ...]:
        return tuple(self._notices)

    def take(self) -> tuple[PendingNotice, ...]:
        """All of them; they are shown now."""
        taken, self._notices = tuple(self._notices), []
        return taken
