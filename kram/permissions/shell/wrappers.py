"""Programs that run another program: how to find the inner command among their words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kram.base import Data

LOOKED_THROUGH = frozenset({"time", "timeout", "nice", "nohup", "stdbuf"})
"""The only ones an allow rule for the inner command may be looked up through."""
SHELLS = frozenset({"sh", "bash", "dash", "zsh", "ksh", "mksh", "fish", "ash", "rbash", "csh", "tcsh"})


class Wrapper(Data):
    """`values`: options followed by a value. `flags`: options without one, as a pattern. `skip`: plain words before the command.

    `assigns`: `NAME=value` words may come first. `script`: what follows is (also) joined and read as shell text.
    """

    values: frozenset[str] = frozenset()
    flags: str = ""
    skip: int = 0
    assigns: bool = False
    script: bool = False


_FLAGS = r"-[a-zA-Z0-9]+|--[a-z-]+(?:=.*)?"


def _with(values: str, *, flags: str = _FLAGS, skip: int = 0, assigns: bool = False, script: bool = False) -> Wrapper:
    return Wrapper(values=frozenset(values.split()), flags=flags, skip=skip, assigns=assigns, script=script)


WRAPPERS: dict[str, Wrapper] = {
    "env": _with("-u --unset -C --chdir -a --argv0", assigns=True, flags=r"-[i0v]+|--[a-z-]+(?:=.*)?|-"),
    "sudo": _with("-u -g -h -p -C -r -t -T -U -D -R --user --group --host --prompt --chdir", assigns=True),
    "doas": _with("-u -C"),
    "command": _with("", flags="-p"),
    "builtin": _with(""),
    "exec": _with("-a", flags="-[cl]+"),
    "nice": _with("-n --adjustment", flags=r"-\d+|--adjustment=.*|-n-?\d+"),
    "ionice": _with("-c -n -p --class --classdata"),
    "nohup": _with(""),
    "time": _with("-f -o --format --output"),
    "timeout": _with("-k -s --kill-after --signal", skip=1),
    "stdbuf": _with("-i -o -e --input --output --error", flags=r"-[ioe].+|--[a-z]+=.*"),
    "setsid": _with(""),
    "xargs": _with(
        "-I -L -n -P -d -a -E -s --max-args --max-procs --delimiter --arg-file --replace --max-lines --max-chars"
    ),
    "watch": _with("-n --interval", script=True),
    "chroot": _with("", skip=1),
    "taskset": _with("", skip=1),
    "chrt": _with("-T -P -D", skip=1),
    "flock": _with("-w -E --timeout", skip=1, script=True),
    "strace": _with("-e -o -p -s -u -E -I -O -P -S -X"),
    "ltrace": _with("-e -o -p -s -u -l -n -x"),
    "busybox": _with(""),
    "toybox": _with(""),
    "coproc": _with(""),
    "su": _with("", script=True),
    "runuser": _with("-u -g -G", script=True),
    "ssh": _with("-b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w", skip=1, script=True),
    "prlimit": _with(""),
    "catchsegv": _with(""),
    "unbuffer": _with(""),
    "fakeroot": _with(""),
    "dbus-run-session": _with(""),
    "caffeinate": _with("-t -w"),
    "setarch": _with("", skip=1),
    "linux32": _with(""),
    "linux64": _with(""),
}
UNSURE = frozenset({
    "parallel", "unshare", "nsenter", "systemd-run", "systemd-inhibit", "firejail", "bwrap", "proot", "script", "expect",
    "setpriv", "capsh", "numactl", "faketime", "valgrind", "gdb", "perf", "rr", "entr", "start-stop-daemon", "daemonize",
    "npx", "bunx", "pnpx", "uvx", "pkexec", "torsocks", "tsocks", "proxychains", "proxychains4", "hyperfine", "rlwrap",
    "xvfb-run", "at", "batch", "sg", "newgrp", "tmux", "screen", "dtach", "chronic", "ifne", "find2perl", "mapfile",
})  # fmt: skip
"""Programs whose words can't be told apart for certain: every later word may begin the inner command."""
UNSURE_PAIRS = frozenset({
    ("npm", "exec"), ("npm", "x"), ("pnpm", "exec"), ("pnpm", "dlx"), ("yarn", "exec"), ("yarn", "dlx"), ("yarn", "run"),
    ("uv", "run"), ("uv", "tool"), ("poetry", "run"), ("pipenv", "run"), ("pdm", "run"), ("hatch", "run"), ("rye", "run"),
    ("pixi", "run"), ("conda", "run"), ("mamba", "run"), ("pipx", "run"), ("bundle", "exec"), ("docker", "run"),
    ("docker", "exec"), ("docker", "compose"), ("podman", "run"), ("podman", "exec"), ("kubectl", "exec"), ("mise", "exec"),
    ("direnv", "exec"), ("nix", "run"), ("nix", "shell"), ("nix", "develop"), ("dotenv", "run"), ("cargo", "watch"),
    ("composer", "exec"), ("git", "bisect"), ("git", "submodule"), ("git", "rebase"), ("git", "difftool"), ("bun", "x"),
    ("bun", "run"), ("op", "run"), ("aws-vault", "exec"), ("doppler", "run"), ("vagrant", "ssh"), ("go", "run"),
})  # fmt: skip
WRAPPER_NAMES = frozenset(WRAPPERS) | UNSURE | {"find-exec"}


def unwrapped(words: Sequence[str]) -> int | None:
    """Where the inner command begins; None where an option is not known, so that any word might begin it."""
    spec = WRAPPERS[words[0]]
    at = 1
    while at < len(words):
        word = words[at]
        if word == "--":
            at += 1
            break
        if word in spec.values:
            at += 2
        elif (word.startswith("--") and word.partition("=")[0] in spec.values) or (
            word.startswith("-") and word[:2] in spec.values and not word.startswith("--")
        ):
            at += 1
        elif (word.startswith(("-", "+")) and len(word) > 1) or word == "-":
            if not re.fullmatch(spec.flags, word):
                return None
            at += 1
        elif spec.assigns and re.match(r"[A-Za-z_]\w*=", word):
            at += 1
        else:
            break
    return at + spec.skip


def looked_through(words: Sequence[str]) -> tuple[str, ...] | None:
    """The command behind harmless wrappers with plain options; None where one is used in another way."""
    current = tuple(words)
    for _ in range(8):
        if not current or current[0] not in LOOKED_THROUGH:
            return current or None
        at = _plain_options(current)
        if at is None or at >= len(current) or current[at].startswith("-"):
            return None
        current = current[at:]
    return None


def _plain_options(words: Sequence[str]) -> int | None:
    name, rest = words[0], " ".join(words[1:]) + " "
    shapes = {
        "time": r"(?:-p )?",
        "nohup": r"",
        "nice": r"(?:-n -?\d+ |-n\d+ |-\d+ |--adjustment=-?\d+ )?",
        "stdbuf": r"(?:-[ioe](?:0|L|\d+[KMG]?) |-[ioe] (?:0|L|\d+[KMG]?) |--(?:input|output|error)=(?:0|L|\d+[KMG]?) )+",
        "timeout": r"(?:-v |--verbose |--preserve-status |--foreground |-k ?\d+(?:\.\d+)?[smhd]? |--kill-after=\d+[smhd]? "
        r"|-s ?[A-Z0-9]+ |--signal=[A-Z0-9]+ )*\d+(?:\.\d+)?[smhd]? ",
    }
    if any(" " in word for word in words[1:8]):
        # A blank inside a word would look like two words here.
        rest = " ".join(word.replace(" ", "\ufffd") for word in words[1:]) + " "
    found = re.match(shapes[name], rest)
    return None if found is None else 1 + found[0].count(" ")
