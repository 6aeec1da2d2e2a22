"""Paths that need a word from the person, whatever the mode: outside the project, protected, secret, shared by links.

Names are compared without case and in one normal form, as the least careful file system would; a protected path counts
also while nothing is there yet.
"""

from __future__ import annotations

import os
import re
import stat
import unicodedata
from pathlib import Path

from kram.base import Data, Target

from .verdict import Decision

_PROTECTED = re.compile(
    r"(?:^|/)(?:\.git|\.kram|\.vscode|\.idea|\.devcontainer|\.zed|\.cursor|\.claude|\.codex|\.husky)(?:/|$)"
    r"|(?:^|/)(?:\.gitmodules|\.mcp\.json|\.envrc|\.exrc|\.nvim\.lua|\.dir-locals\.el|\.ripgreprc)$"
)
_HOME_PROTECTED = re.compile(
    r"(?:\.bash(?:rc|_profile|_login|_logout|_aliases|_history)|\.profile|\.zsh(?:rc|env|_history)|\.zprofile|\.zlogin|\.zlogout"
    r"|\.kshrc|\.cshrc|\.tcshrc|\.login|\.logout|\.inputrc|\.xprofile|\.xinitrc|\.xsession(?:rc)?|\.pam_environment|\.gitconfig"
    r"|\.npmrc|\.yarnrc|\.pypirc|\.netrc|\.curlrc|\.wgetrc|\.vimrc|\.emacs|\.tmux\.conf|\.screenrc|\.hgrc|\.pythonrc)$"
    r"|(?:\.ssh|\.config|\.gnupg|\.aws|\.kube|\.docker|\.local/bin|\.local/share/systemd|bin|\.oh-my-zsh|\.vim|\.emacs\.d"
    r"|\.cargo/(?:bin|config)|\.bashrc\.d|library/launchagents)(?:/|$)"
)
_SECRET = re.compile(
    r"(?:^|/)(?:\.env(?:\.[^/]*|rc)?|[^/]*\.env|id_(?:rsa|dsa|ecdsa|ed25519)[^/]*|[^/]*\.(?:pem|key|p12|pfx|jks|keystore|kdbx|ppk)"
    r"|[._]netrc|\.npmrc|\.pypirc|\.git-credentials|\.pgpass|\.my\.cnf|\.htpasswd|\.dockercfg|credentials(?:\.(?:json|toml|ya?ml))?"
    r"|secrets?\.(?:json|toml|ya?ml)|\.vault-token|\.terraformrc|kubeconfig|service-account[^/]*\.json)$"
    r"|(?:^|/)(?:\.ssh|\.gnupg|\.aws|\.kube|\.docker|\.config/(?:gcloud|gh|kram))(?:/|$)"
)
_PUBLIC = re.compile(r"\.pub$")
_SPECIAL = ("/proc", "/sys", "/dev")


class Around(Data):
    """What of the person's account matters for paths: the home folder, and the folders programs are found in."""

    home: str = ""
    search_path: tuple[str, ...] = ()


def around_here() -> Around:
    """Of this process."""
    try:
        home = str(Path.home())
    except RuntimeError:
        home = ""
    return Around(home=home, search_path=tuple(one for one in os.environ.get("PATH", "").split(os.pathsep) if one))


def folded(path: str) -> str:
    """Compared without case and in one normal form."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())


def is_secret(path: str) -> bool:
    name = folded(path.rstrip("/"))
    return _SECRET.search(name) is not None and not _PUBLIC.search(name)


def is_protected(target: Target, around: Around) -> bool:
    """Whether something at this path makes programs run, or decides what this program may do."""
    real = folded(target.real)
    inside = _below(real, target.root) if target.root else None
    if _PROTECTED.search(real if inside is None else inside):
        return True
    at_home = _below(real, around.home) if around.home else None
    if at_home is not None and _HOME_PROTECTED.match(at_home):
        return True
    return any(_below(real, folder) is not None for folder in around.search_path if folder.startswith("/"))


def _below(real: str, folder: str) -> str | None:
    base = folded(folder).rstrip("/")
    if real == base:
        return ""
    return real[len(base) + 1 :] if real.startswith(base + "/") else None


def judge_target(target: Target, around: Around) -> tuple[Decision, str]:
    """Deny and ask with the reason; allow only says that nothing about the path itself speaks against it."""
    if "\0" in target.given:
        return "deny", "the path holds a NUL character"
    if target.kind == "other" or _is_special(target.real):
        return "deny", f"{target.real} is a device, pipe or system file"
    if not target.inside:
        how = " through a link" if target.via_link else ""
        return "ask", f"{target.real} is outside the project{how}"
    if target.intent != "read":
        if is_protected(target, around):
            return "ask", f"{target.real} is protected: it can make programs run or change what is permitted"
        if target.real == target.root:
            return "ask", f"{target.real} is the project itself"
    if is_secret(target.real):
        return "ask", f"{target.real} may hold secrets"
    if target.intent == "write" and target.links > 1:
        return "ask", f"{target.real} has {target.links} hard links; others share its content"
    if target.intent == "write" and _read_only(target.real):
        return "ask", f"{target.real} is marked read-only"
    return "allow", ""


def _is_special(real: str) -> bool:
    return any(real == one or real.startswith(one + "/") for one in _SPECIAL)


def _read_only(real: str) -> bool:
    """Replacing the file would work all the same: the mark is a wish of its owner."""
    try:
        found = os.lstat(real)
    except (OSError, ValueError):
        return False
    return stat.S_ISREG(found.st_mode) and not found.st_mode & 0o222
