"""What the command line parser cannot say by itself: `kram [PROMPT]` beside subcommands, and `--resume` with an optional id."""

from __future__ import annotations

import re
from collections.abc import Sequence

DEFAULT = "chat"
SESSION_ID = re.compile(r"ses_[0-9a-f]+")
_OWN = {"--help", "-h", "--version", "--install-completion", "--show-completion"}
_RESUME = ("-r", "--resume")


def arranged(argv: Sequence[str], commands: Sequence[str]) -> list[str]:
    """The same arguments with the default command named, and `--resume` always followed by a value ("" without an id)."""
    args = list(argv)
    if not args or (args[0] not in commands and args[0] not in _OWN):
        args.insert(0, DEFAULT)
    return _with_resume_value(args) if args[0] == DEFAULT else args


def _with_resume_value(args: list[str]) -> list[str]:
    out: list[str] = []
    for index, arg in enumerate(args):
        out.append(arg)
        if arg == "--":
            return out + args[index + 1 :]
        following = args[index + 1] if index + 1 < len(args) else ""
        if arg in _RESUME and not SESSION_ID.fullmatch(following):
            out.append("")
    return out


def wants_screen(argv: Sequence[str], commands: Sequence[str]) -> bool:
    """Whether these arguments open the interface, judged without a parser, before anything heavy is imported."""
    first = argv[0] if argv else ""
    if first in commands and first not in (DEFAULT, "demo"):
        return False
    headless = {"-p", "--print", "--help", "-h", "--version", "--install-completion", "--show-completion"}
    return not any(arg in headless or arg.startswith(("--output-format", "--input-format")) for arg in argv)
