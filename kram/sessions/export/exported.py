"""Which formats there are, and by which ending of a file they go."""

from __future__ import annotations

from collections.abc import Callable

from kram.base import UsageError

from .core_form import as_core
from .html_form import as_html
from .json_form import as_json
from .markdown_form import as_markdown
from .pieces import Exported

FORMATS: dict[str, tuple[str, Callable[[Exported], str]]] = {
    "md": ("md", as_markdown),
    "html": ("html", as_html),
    "json": ("json", as_json),
    "core": ("json", as_core),
}
"""Name -> ending of the file, writer."""

_ENDINGS = {"md": "md", "markdown": "md", "htm": "html", "html": "html", "json": "json"}


def format_of(name: str) -> str:
    """A format by its name or by a file's name. Raises `UsageError`."""
    wanted = name.rpartition(".")[2].lower()
    if wanted in FORMATS:
        return wanted
    if wanted in _ENDINGS:
        return _ENDINGS[wanted]
    raise UsageError(f"There is no export format '{wanted}'", todo=f"Use one of: {', '.join(FORMATS)}")


def exported_text(exported: Exported, form: str) -> str:
    """The session in a format. Raises `UsageError` for an unknown one."""
    return FORMATS[format_of(form)][1](exported)
