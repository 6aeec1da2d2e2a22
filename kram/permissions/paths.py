"""Paths that need a word from the person, whatever the mode: outside the project, protected, secret, shared by links."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

from kram.base import Target

from .verdict import Decision

_PROTECTED = re.compile(
    r"(?:^|/)(?:\.git(?:/(?:hooks|config|info/attributes|modules|objects/info|worktrees)(?:/|$)|$)|\.gitmodules$|\.kram(?:/|$)"
    r"|\.mcp\.json$|\.envrc$|\.vscode(?:/|$)|\.idea(?:/|$)|\.devcontainer(?:/|$)|\.claude(?:/|$))"
)
_HOME_PROTECTED = re.compile(
    r"^(?:\.bash(?:rc|_profile|_login|_logout|_aliases)|\.profile|\.zsh(?:rc|env)|\.zprofile|\.zlogin|\.gitconfig|\.npmrc"
    r"|\.ssh(?:/|$)|\.config(?:/|$)|\.gnupg(?:/|$)|\.aws(?:/|$)|\.local/bin(?:/|$)|bin(?:/|$))"
)
_SECRET = re.compile(
    r"(?:^|/)(?:\.env(?:\.(?!example$|sample$|template$|dist$)[^/]*)?|id_(?:rsa|dsa|ecdsa|ed25519)[^/]*(?<!\.pub)|[^/]*\.(?:pem|key|p12|pfx|jks|keystore)"
    r"|\.netrc|\.npmrc|\.pypirc|\.git-credentials|credentials\.toml|\.pgpass|\.htpasswd)$|(?:^|/)\.(?:ssh|gnupg|aws)(?:/|$)"
)
_SPECIAL = ("/proc", "/sys", "/dev")


def folded(path: str) -> str:
    """Compared without case and in one normal form, as the least careful file system would."""
    return unicodedata.normalize("NFC", path).casefold()


def is_secret(path: str) -> bool:
    return _SECRET.search(folded(path)) is not None


def is_protected(target: Target, home: Path) -> bool:
    real = folded(target.real)
    if target.root:
        inside = real[len(folded(target.root)) :].lstrip("/")
        return _PROTECTED.search(inside) is not None
    base = folded(str(home)).rstrip("/") + "/"
    return _PROTECTED.search(real) is not None or (
        real.startswith(base) and _HOME_PROTECTED.match(real[len(base) :]) is not None
    )


def judge_target(target: Target, home: Path) -> tuple[Decision, str]:
    """Deny and ask with the reason; allow only says that nothing about the path itself speaks against it."""
    if target.kind == "other" or any(target.real == one or target.real.startswith(one + "/") for one in _SPECIAL):
        return "deny", f"{target.real} is a device, pipe or system file"
    if not target.inside:
        how = " through a link" if target.via_link else ""
        return "ask", f"{target.real} is outside the project{how}"
    if target.intent != "read" and is_protected(target, home):
        return "ask", f"{target.real} is protected: it can make programs run"
    if is_secret(target.real):
        return "ask", f"{target.real} may hold secrets"
    if target.intent == "write" and target.links > 1:
        return "ask", f"{target.real} has {target.links} hard links; others share its content"
    return "allow", ""
