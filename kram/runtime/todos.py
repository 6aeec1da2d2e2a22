"""The session's todo list, kept in the store."""

from __future__ import annotations

from kram.events import Emit, Todo, TodosChanged
from kram.messages import from_json
from kram.sessions import Store


class SessionTodos:
    """A `TodoList`: stored first, then told."""

    def __init__(self, store: Store, session_id: str, emit: Emit) -> None:
        self._store = store
        self._session_id = session_id
        self._emit = emit

    def get(self) -> tuple[Todo, ...]:
        raw = self._store.get_state(self._session_id, "todos")
        return from_json(raw, tuple[Todo, ...]) if raw else ()

    def set(self, todos: tuple[Todo, ...]) -> None:
        self._store.put_state(self._session_id, "todos", todos)
        self._emit(TodosChanged(todos=todos))
