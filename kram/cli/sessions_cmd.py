"""`kram sessions`: what is kept, read without a model and without a session of its own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from kram.base import SystemClock, app_paths, iso_utc, one_line
from kram.messages import Entry, Kind, to_plain
from kram.sessions import SessionInfo, Store

from .guard import complain, guarded
from .tables import print_table

app = typer.Typer(no_args_is_help=True, pretty_exceptions_enable=False)


def _store() -> Store:
    return Store.open(app_paths().data / "kram.db", SystemClock())


@app.command("list")
@guarded
def list_sessions(
    everywhere: Annotated[bool, typer.Option("--all", "-a", help="Of every project, not only this one.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON array.")] = False,
) -> None:
    """The sessions of this project, newest first."""
    with _store() as store:
        found = store.sessions(None if everywhere else Path.cwd().resolve())
    if as_json:
        print(json.dumps([to_plain(one) for one in found], ensure_ascii=False))
        return
    print_table([_row(one) for one in found], head=("ID", "CHANGED", "ENTRIES", "TITLE"))


def _row(one: SessionInfo) -> tuple[str, str, str, str]:
    return one.id, iso_utc(one.updated_at)[:16].replace("T", " "), str(one.entries), one.title or "(no title)"


@app.command("search")
@guarded
def search(
    text: Annotated[list[str], typer.Argument(help="Words that were said; all of them must occur.")],
    everywhere: Annotated[bool, typer.Option("--all", "-a", help="Of every project, not only this one.")] = False,
    subagents: Annotated[bool, typer.Option("--subagents", help="Sessions of subagents too.")] = False,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=500, help="How many matches.")] = 20,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON array.")] = False,
) -> None:
    """What people and models said, the best matches first."""
    workspace = None if everywhere else Path.cwd().resolve()
    with _store() as store:
        hits = store.search(" ".join(text), workspace=workspace, limit=limit, subagents=subagents)
    if as_json:
        print(json.dumps([to_plain(one) for one in hits], ensure_ascii=False))
        return
    for hit in hits:
        place = f"  {hit.workspace}" if everywhere else ""
        print(f"{hit.session_id}  {iso_utc(hit.said.at_ns)[:10]}  {one_line(hit.title or '(no title)', 80)}{place}")
        for one in (*hit.before[-1:], hit.said, *hit.after[:1]):
            print(f"  {'>' if one is hit.said else ' '} {one.by}: {one_line(one.text, 400)}")


@app.command("show")
@guarded
def show(session: Annotated[str, typer.Argument(help="The session's id.")]) -> None:
    """A session as text."""
    with _store() as store:
        store.get(session)
        entries = store.entries(session)
    for entry in entries:
        print(_as_text(entry))


@app.command("export")
@guarded
def export(
    session: Annotated[str, typer.Argument(help="The session's id.")],
    form: Annotated[str, typer.Option("--format", "-f", help="md, html, json or core.")] = "",
    output: Annotated[Path | None, typer.Option("-o", "--output", help="A file instead of stdout.")] = None,
) -> None:
    """A session as Markdown, as a web page, as our JSON (everything as it is stored), or as the core engine's JSON.

    Without --format the output file's ending decides, else json.
    """
    from kram.runtime.transfer import gather
    from kram.sessions.export import exported_text

    with _store() as store:
        text = exported_text(gather(store, session), form or (output.name if output else "json"))
    if output is None:
        print(text, end="" if text.endswith("\n") else "\n")
    else:
        output.write_text(text, "utf-8")


@app.command("import")
@guarded
def import_session(
    file: Annotated[Path, typer.Argument(help="A kram export, core JSON, a Claude Code session or a Codex rollout.")],
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
) -> None:
    """Stores a session from a file as a new one of this project."""
    from kram.runtime.transfer import take_file

    with _store() as store:
        taken = take_file(store, Path.cwd().resolve(), file)
    print(json.dumps(to_plain(taken), ensure_ascii=False) if as_json else taken.told())


@app.command("rename")
@guarded
def rename(session: str, title: str) -> None:
    """Names a session."""
    with _store() as store:
        store.rename(session, title)


@app.command("delete")
@guarded
def delete(session: str, yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False) -> None:
    """Deletes a session for good."""
    with _store() as store:
        info = store.get(session)
        if not yes and not typer.confirm(f"Delete '{info.title or info.id}' with {info.entries} entries?"):
            complain("nothing was deleted")
            raise typer.Exit(1)
        store.delete(session)


def _as_text(entry: Entry) -> str:
    match entry.kind:
        case Kind.TOOL_CALL:
            return f"→ {entry.tool_name} {entry.content}"
        case Kind.TOOL_RESULT:
            mark = "✗" if entry.is_error else "✓"
            return f"{mark} {entry.content}"
        case Kind.USER:
            return f"\n> {entry.content}\n"
        case _:
            return entry.content
