"""A turn that does everything a turn can do, for tests that stop it somewhere: thinking, text, reads side by side, a failed
call, an edit, commands, a question, a compaction; with retries and a slow answer where that is wanted."""

from __future__ import annotations

from pathlib import Path

EVERYTHING = """
version = 1
end = "loop"

[[steps]]
when = { no_tools = true }
repeat = 0
pace = 400
text = "Goal: everything. Done: the first part. Next: the rest of it, step by step."

[[steps]]
pace = 400
thinking = "First I look at both files, then I change one of them."
text = "I look at both files at once."
calls = [{ name = "read_file", args = { path = "a.txt" } }, { name = "read_file", args = { path = "b.txt" } }]

[[steps]]
pace = 400
text = "A file that is not there, and a folder."
calls = [{ name = "read_file", args = { path = "missing.txt" } }, { name = "list_dir", args = { path = "." } }]

[[steps]]
calls = [{ name = "bash", args = { command = "echo ran >> effects.log; sleep 0.02; echo said" } }]

[[steps]]
pace = 400
text = "Now a file is written and another command runs."
calls = [
  { name = "write_file", args = { path = "out.txt", content = "written\\n" } },
  { name = "bash", args = { command = "echo ran >> effects.log; seq 1 2000" } },
]

[[steps]]
calls = [{ name = "ask_question", args = { question = "Go on?", options = ["yes", "no"] } }]

[[steps]]
calls = [{ name = "todo_write", args = { todos = [{ content = "the rest", status = "in_progress" }] } }]

[[steps]]
pace = 400
text = "All of it is done. Here is what I did, in a few words that stream for a moment before they end."
"""

SLOW = """
version = 1
end = "repeat"
[[steps]]
pace = 40
text = "This answer takes its time, so that what has come of it is written down before the rest of it has come at all."
"""

_BROKEN = """[[steps]]
fault = { kind = "server_error" }

"""
_AT = EVERYTHING.index("[[steps]]", EVERYTHING.index("I look at both"))
RETRIED = EVERYTHING[:_AT] + _BROKEN + EVERYTHING[_AT:]
"""One model call of it fails at first, before anything was shown, and is made again."""


def arrange(folder: Path, script: str = EVERYTHING) -> Path:
    """A workspace `ws` with two files and a script beside it; returns the script's path."""
    workspace = folder / "ws"
    workspace.mkdir(parents=True, exist_ok=True)
    (workspace / "a.txt").write_text("ant\n")
    (workspace / "b.txt").write_text("bee\n")
    path = folder / "script.toml"
    path.write_text(script)
    return path
