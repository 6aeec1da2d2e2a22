"""What is known of git's words: global options, subcommands that only look, and options that run programs or write."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .options import Options, found

_GLOBAL_FINE = frozenset(
    {"--no-pager", "-P", "--no-optional-locks", "--literal-pathspecs", "--no-replace-objects", "--version", "-v"}
)
_ALWAYS = Options(
    long=("output", "ext-diff", "textconv", "exec-path", "git-dir", "work-tree", "open-files-in-pager", "upload-pack",
          "receive-pack", "config-env", "no-index", "exec", "show-signature", "filters", "template", "extcmd", "gpg-sign",
          "separate-git-dir", "reference", "edit", "output-directory", "namespace", "super-prefix", "attr-source"),
    words=("-O", "-C", "-c", "ext::", "--upload-pack", "--receive-pack"),
)  # fmt: skip
_RUNS = {
    "bisect": r"run|visualize|view",
    "submodule": r"foreach|update|add",
    "config": None,
    "difftool": None,
    "mergetool": None,
    "filter-branch": None,
    "instaweb": None,
    "daemon": None,
    "gui": None,
    "citool": None,
    "help": None,
    "send-email": None,
    "imap-send": None,
    "svn": None,
    "p4": None,
    "web--browse": None,
    "hook": None,
    "for-each-repo": None,
    "upload-pack": None,
    "receive-pack": None,
    "upload-archive": None,
    "fast-import": None,
    "fast-export": None,
    "credential": None,
    "maintenance": None,
    "scalar": None,
    "shell": None,
    "var": None,
    "worktree": r"add|move|remove|repair",
    "remote-ext": None,
    "remote-fd": None,
    "bundle": r"create",
    "archive": None,
    "format-patch": None,
    "interpret-trailers": None,
}
"""Subcommands that run programs, change what git runs later, or write where they like; a pattern narrows it to some."""

_CONFIG_READS = re.compile(r"--get(?:-all|-regexp)?|get|--show-origin|--show-scope")
_LOOKS = frozenset({
    "status", "diff", "log", "show", "blame", "annotate", "rev-parse", "ls-files", "ls-tree", "describe", "shortlog",
    "cat-file", "rev-list", "name-rev", "merge-base", "for-each-ref", "show-ref", "grep", "diff-tree", "diff-index",
    "diff-files", "count-objects", "check-ignore", "whatchanged", "cherry", "range-diff", "show-branch", "version",
    "check-ref-format", "patch-id",
})  # fmt: skip
_EACH_WORD = {
    "branch": r"-[arv]+|--(?:all|list|show-current|remotes|verbose|no-color|merged|no-merged)|--(?:sort|format)=.*",
    "tag": r"-l|--list|-n\d*|--(?:sort|format)=.*",
}
_FIRST_WORD = {
    "remote": r"|(?:-v|--verbose)|show|get-url \S+",
    "stash": r"(?:list|show)(?: .*)?",
    "reflog": r"|show(?: .*)?|-n ?\d+|-\d+",
    "worktree": r"list(?: .*)?",
    "submodule": r"(?:status|summary)(?: .*)?",
    "notes": r"(?:list|show)(?: .*)?",
    "symbolic-ref": r"(?:--short |-q )?HEAD",
    "config": r"(?:--get|get) (?:user|core|init|branch|remote)\.[\w./-]+",
}


def subcommand(arguments: Sequence[str]) -> tuple[str, list[str], str]:
    """The subcommand, its words, and the first global option that is not harmless."""
    words = list(arguments)
    odd = ""
    while words and words[0].startswith("-"):
        option = words.pop(0)
        if option in ("--version", "-v"):
            return "version", [], odd
        odd = odd or (option if option not in _GLOBAL_FINE else "")
    return (words[0], words[1:], odd) if words else ("", [], odd)


def hazard(arguments: Sequence[str]) -> str:
    """Why these words of git need a person, whatever rule covers them."""
    name, rest, odd = subcommand(arguments)
    if odd:
        return f"git with {odd} can run programs or act on another repository"
    if name in _RUNS and not (name == "config" and rest and _CONFIG_READS.fullmatch(rest[0])):
        narrowed = _RUNS[name]
        if narrowed is None or (rest and re.fullmatch(narrowed, rest[0])):
            return f"git {name} can run programs or write elsewhere"
    word = found(rest, _ALWAYS)
    if not word and name == "grep":
        word = found(rest, Options(letters="O", values="ABCefm"))
    if not word and name in ("rebase", "bisect"):
        word = found(rest, Options(letters="xi", long=("interactive",)))
    if not word and name == "add":
        word = found(rest, Options(letters="epi", long=("interactive", "patch")))
    if not word and name in ("commit", "tag", "merge", "cherry-pick", "revert"):
        word = (
            found(rest, Options(letters="Ses", values="mFtb"))
            if name != "commit"
            else found(rest, Options(letters="Sep", values="mFt"))
        )
    if not word and name in ("clone", "fetch", "pull", "push"):
        word = found(rest, Options(letters="u" if name == "clone" else "", values="bjo"))
    return f"git {name} with {word} can run a program or write a file" if word else ""


def only_looks(arguments: Sequence[str]) -> bool:
    """Whether the words are a subcommand that shows and changes nothing."""
    name, rest, odd = subcommand(arguments)
    if odd or any("%G" in one for one in rest):
        return False
    if name in _EACH_WORD:
        return all(re.fullmatch(_EACH_WORD[name], one) for one in rest)
    if name in _FIRST_WORD:
        return re.fullmatch(_FIRST_WORD[name], " ".join(rest), re.DOTALL) is not None
    return name in _LOOKS
