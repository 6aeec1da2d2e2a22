"""Kinds of programs: interpreters, launchers, builtins that change the shell, network tools, and what destroys."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .wrappers import SHELLS

_VERSIONED = re.compile(r"(python|pypy|perl|ruby|node|lua|php|tclsh|pip|gcc|g\+\+|clang)[\d.]+")

INTERPRETERS = SHELLS | {
    "python", "pypy", "perl", "ruby", "node", "nodejs", "deno", "bun", "php", "lua", "luajit", "tclsh", "wish", "osascript",
    "pwsh", "powershell", "irb", "ipython", "jupyter", "R", "Rscript", "julia", "ghci", "runghc", "scala", "groovy", "jshell",
    "java", "elixir", "iex", "erl", "escript", "sqlite3", "psql", "mysql", "mongo", "mongosh", "redis-cli", "gdb", "lldb",
    "vim", "vi", "nvim", "ex", "view", "emacs", "nano", "ed", "less", "more", "most", "ts-node", "tsx", "racket", "guile",
    "sbcl", "ocaml", "octave", "m4", "bc", "dc", "expect", "gnuplot", "ghc", "nu", "xonsh",
}  # fmt: skip
"""Programs that run text they are given. A rule with a star covers them only where it fixes the script or module."""

LAUNCHERS: tuple[tuple[str, ...], ...] = (
    ("uv", "run"), ("uvx",), ("npx",), ("bunx",), ("pnpx",), ("poetry", "run"), ("pipenv", "run"), ("pdm", "run"),
    ("hatch", "run"), ("rye", "run"), ("pixi", "run"), ("conda", "run"), ("pipx", "run"), ("bundle", "exec"), ("npm", "exec"),
    ("pnpm", "exec"), ("pnpm", "dlx"), ("yarn", "dlx"), ("yarn", "exec"), ("bun", "x"), ("go", "run"), ("cargo", "run"),
    ("docker", "run"), ("docker", "exec"), ("podman", "run"), ("podman", "exec"), ("kubectl", "exec"), ("mise", "exec"),
    ("direnv", "exec"), ("nix", "run"),
)  # fmt: skip
"""Words that start whatever program the next word names."""

STATEFUL = frozenset({
    "eval", "exec", "source", ".", "export", "alias", "unalias", "set", "shopt", "trap", "unset", "hash", "enable", "read",
    "mapfile", "readarray", "declare", "typeset", "local", "readonly", "let", "bind", "complete", "compgen", "compopt",
    "ulimit", "umask", "fg", "bg", "disown", "suspend", "logout", "coproc", "pushd", "popd", "history", "fc", "getopts",
    "caller", "[[", "((",
})  # fmt: skip
"""Builtins that change what later words mean; no rule for something else ever covers them."""

NETWORK = frozenset({
    "curl", "wget", "nc", "ncat", "netcat", "socat", "ssh", "scp", "sftp", "rsync", "telnet", "ftp", "lftp", "ping", "ping6",
    "dig", "nslookup", "host", "whois", "traceroute", "tracepath", "mtr", "nmap", "getent", "openssl", "aria2c", "http",
    "https", "xh", "w3m", "lynx", "links", "curlie", "tftp", "rclone", "aws", "gcloud", "gsutil", "az", "doctl", "heroku",
    "fly", "flyctl", "vercel", "netlify", "gh", "glab", "hub", "mail", "sendmail", "mutt", "swaks", "ngrok", "cloudflared",
})  # fmt: skip

_DESTROYS = frozenset({
    "dd", "shred", "wipefs", "fdisk", "sfdisk", "parted", "mkswap", "truncate", "sudo", "doas", "su", "pkexec", "chown",
    "chgrp", "chattr", "setfacl", "kill", "pkill", "killall", "shutdown", "reboot", "halt", "poweroff", "systemctl", "service",
    "crontab", "at", "batch", "mount", "umount", "losetup", "insmod", "rmmod", "modprobe", "iptables", "nft", "ufw", "sysctl",
    "useradd", "userdel", "usermod", "groupadd", "passwd", "visudo", "apt", "apt-get", "dpkg", "yum", "dnf", "rpm", "pacman",
    "zypper", "apk", "brew", "port", "snap", "flatpak", "kubectl", "helm", "terraform", "tofu", "pulumi", "ansible",
    "ansible-playbook", "vagrant", "gsettings", "defaults", "launchctl", "chsh", "nsenter", "chroot", "bwrap", "fuser",
    "skill", "swapoff", "swapon", "srm", "cryptsetup", "lvremove", "vgremove", "zfs", "zpool", "btrfs",
})  # fmt: skip
_DESTROYING_WORDS = re.compile(
    r"git (?:push|clean|reset|checkout|restore|rebase|filter-branch|gc|prune|reflog (?:expire|delete)|stash (?:drop|clear|pop)"
    r"|branch (?:.* )?(?:-[a-zA-Z]*[dDM]|--delete)|tag (?:.* )?(?:-d|--delete)|update-ref|worktree remove|remote (?:add|remove"
    r"|set-url)|config|send-email|submodule deinit)\b"
    r"|(?:npm|pnpm|yarn|bun) (?:publish|unpublish|deprecate|owner|access|token|login|adduser)\b"
    r"|cargo (?:publish|yank|login|owner)\b|twine upload\b|uv publish\b|poetry publish\b|gem push\b"
    r"|docker (?:push|rm|rmi|system|volume|kill|stop|login)\b|podman (?:push|rm|rmi)\b"
    r"|find .*-delete\b|rsync .*--delete|mkfs\S*|history -c"
)


def base_name(name: str) -> str:
    """`python3.11` as `python`."""
    found = _VERSIONED.fullmatch(name)
    return found[1] if found else name


def is_interpreter(name: str) -> bool:
    return base_name(name) in INTERPRETERS


def launched(words: Sequence[str]) -> int:
    """How many words the launcher takes, 0 where they are none."""
    return next((len(one) for one in LAUNCHERS if tuple(words[: len(one)]) == one), 0)


def destroys(words: Sequence[str]) -> str:
    """Why the automatic mode asks all the same: what is lost or sent can't be taken back."""
    name = words[0].rpartition("/")[2]
    if name in _DESTROYS or name.startswith("mkfs"):
        return f"{name} acts beyond the project or destroys"
    if name in NETWORK:
        return f"{name} talks to the network"
    if name in ("rm", "rmdir", "unlink") and any(
        re.match(r"-[a-zA-Z]*[rRf]|--(?:rec|for|dir)", word) for word in words[1:]
    ):
        return f"{name} destroys what can't be brought back"
    if name == "chmod" and any(re.match(r"-[a-zA-Z]*R|--rec", word) for word in words[1:]):
        return "chmod changes a whole tree"
    if _DESTROYING_WORDS.match(" ".join((name, *words[1:]))):
        return f"{' '.join((name, *words[1:2]))} destroys or publishes"
    return ""
