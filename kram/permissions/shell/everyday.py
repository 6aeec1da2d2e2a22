"""Commands that only look: allowed without a rule when every word is known and every path lies in the project.

Each program here neither writes, runs another program, talks to the network nor changes the shell with the words that are
let through. Programs that load code of the project (test runners, builds, linters with plugins) are not here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from . import git
from .hazards import hazard
from .model import Command
from .wrappers import looked_through

_PLAIN = frozenset({
    "ls", "dir", "cat", "head", "tail", "wc", "echo", "printf", "which", "whoami", "uname", "grep", "egrep", "fgrep", "rg",
    "sort", "uniq", "cut", "tr", "nl", "tac", "rev", "fold", "paste", "column", "comm", "join", "basename", "dirname",
    "realpath", "readlink", "stat", "file", "du", "df", "date", "true", "false", ":", "test", "[", "diff", "cmp", "md5sum",
    "sha1sum", "sha256sum", "sha512sum", "cksum", "b2sum", "tree", "seq", "sleep", "id", "groups", "uptime", "arch", "nproc",
    "free", "pwd", "type", "jq", "strings", "od", "hexdump", "base64", "expand", "unexpand", "fmt", "numfmt", "factor", "tsort",
    "sed", "awk", "gawk", "mawk", "find", "hostname", "cd", "locale", "getconf", "zcat", "expr", "cal", "sum", "xxd", "lscpu",
})  # fmt: skip
_VERSIONS = frozenset({
    "python", "python3", "node", "gcc", "g++", "clang", "cmake", "java", "ruby", "perl", "php", "uv", "docker", "rg", "bash",
    "make", "pip", "pip3", "npm", "ruff", "mypy", "black", "sqlite3", "jq", "curl", "tar", "grep", "sed",
})  # fmt: skip
_VERSION = re.compile(r"--version|-V|-version")
_SHAPES: dict[str, str] = {
    "pip": r"list|freeze|show [\w.-]+|list --format=\w+",
    "pip3": r"list|freeze|show [\w.-]+|list --format=\w+",
    "node": r"-v",
    "npm": r"-v",
    "ps": r"|aux|-ef|-e|-A|-aux|-a|-f",
    "command": r"-[vV] [\w.+-]+",
    "ruff": r"--version",
}


def _find(arguments: Sequence[str]) -> bool:
    """Every test is known to look only; a new version's actions are not let through."""
    return all(not one.startswith("-") or _FIND_TEST.fullmatch(one) for one in arguments)


_FIND_TEST = re.compile(
    r"-(?:H|L|P|O\d|and|or|not|a|o|path|ipath|wholename|name|iname|type|xtype|size|mtime|mmin|ctime|cmin|atime|amin|newer\w*|"
    r"anewer|cnewer|maxdepth|mindepth|depth|d|prune|print0?|printf|ls|empty|perm|user|group|uid|gid|links|inum|samefile|regex|"
    r"iregex|regextype|readable|writable|executable|xdev|mount|quit|follow|daystart|lname|ilname|true|false|noleaf|used|"
    r"nouser|nogroup|warn|nowarn|\d+[a-zA-Z]?)"
)


def _cd(arguments: Sequence[str]) -> bool:
    return len(arguments) == 1 and not arguments[0].startswith("-")


def _printf(arguments: Sequence[str]) -> bool:
    return not arguments[:1] or not arguments[0].startswith("-")


_CHECKS: dict[str, Callable[[Sequence[str]], bool]] = {
    "git": git.only_looks,
    "find": _find,
    "cd": _cd,
    "printf": _printf,
}


def only_looks(words: Sequence[str]) -> bool:
    """Whether these words, all known, are one of the everyday commands that change nothing."""
    name, arguments = words[0], words[1:]
    if name in _VERSIONS and len(arguments) == 1 and _VERSION.fullmatch(arguments[0]):
        return True
    if name in _SHAPES:
        return re.fullmatch(_SHAPES[name], " ".join(arguments)) is not None
    if name not in _PLAIN and name not in _CHECKS:
        return False
    check = _CHECKS.get(name)
    return (check is None or check(arguments)) and not hazard(words)


def looks(command: Command) -> bool:
    """Whether a whole command only looks: known words, no assignment, nothing written."""
    if command.open or command.assignments or any(_writes(one.operator, one.target.text) for one in command.redirects):
        return False
    inner = looked_through(command.texts())
    return (inner is not None and only_looks(inner)) if command.words else bool(command.redirects)


def _writes(operator: str, target: str) -> bool:
    if operator == ">&":
        return not (target.isdigit() or target == "-")
    return operator not in ("<", "<<<", "<&") and target != "/dev/null"
