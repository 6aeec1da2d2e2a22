"""What is known of programs: wrappers, programs no rule may cover, options that run or write, and everyday reading commands."""

from __future__ import annotations

import re

LOOKED_THROUGH = frozenset({"time", "timeout", "nice", "nohup", "stdbuf"})
WRAPPERS = LOOKED_THROUGH | {
    "env",
    "sudo",
    "doas",
    "command",
    "builtin",
    "exec",
    "setsid",
    "xargs",
    "watch",
    "chroot",
    "unshare",
    "ionice",
    "taskset",
    "strace",
    "flock",
    "parallel",
}
SHELLS = frozenset({"sh", "bash", "dash", "zsh", "ksh", "fish", "ash", "busybox"})
INTERPRETERS = SHELLS | {
    "python",
    "python3",
    "perl",
    "ruby",
    "node",
    "deno",
    "bun",
    "php",
    "lua",
    "awk",
    "gawk",
    "tclsh",
    "osascript",
    "pwsh",
}
STATEFUL = frozenset(
    {
        "eval", "exec", "source", ".", "export", "alias", "unalias", "set", "shopt", "trap", "unset", "hash", "enable",
        "read", "mapfile", "readarray", "declare", "typeset", "local", "readonly", "let", "bind", "complete", "ulimit",
        "umask", "wait", "fg", "bg", "disown", "suspend", "logout", "exit", "return", "coproc", "pushd", "popd", "dirs",
    }
)  # fmt: skip
HARMLESS_VARIABLES = re.compile(r"(?:NO_COLOR|CI|LC_ALL|LANG|TZ)=[\w.:/@+-]*")

RISKY: dict[str, re.Pattern[str]] = {
    "git": re.compile(
        r"--(?:output|ext-diff|textconv|exec-path|git-dir|work-tree|open-files-in-pager|upload-pack|receive-pack|config"
        r"|namespace|super-prefix|no-index|exec|pager|paginate|contents|from-file|pathspec-from-file)(?:=|$)|-c$|-C|-O|-p$"
        r"|--(?:o|out|ou|outp|ext|text|exec|git-d|work|open)[a-z-]*(?:=|$)"
    ),
    "find": re.compile(r"-(?:exec|ok|delete|fprint|fls|execdir|okdir)"),
    "sort": re.compile(r"-o|--o|--compress|--files0-from|-T|--temp|--random-source|-[a-zA-Z]*o"),
    "rg": re.compile(r"--pre(?:$|=)|--hostname-bin|--search-zip|-[a-zA-Z]*z"),
    "grep": re.compile(r"--(?:devices|directories)|-f|--file"),
    "sed": re.compile(
        r"-[a-zA-Z]*[ifs]|--in-place|--file|--expression|-e|(?:^|[^\\])/?[ew]\b|.*[0-9}/,$!;]\s*[erwRW]\b"
    ),
    "pytest": re.compile(
        r"-p|-c|--rootdir|--confcutdir|-o|--override-ini|--basetemp|--junit|--log-file|--debug|--pdbcls"
    ),
    "cargo": re.compile(r"--config|-Z|--manifest-path|--target-dir"),
    "man": re.compile(r"-P|-H|--pager|--html"),
    "tar": re.compile(r"--to-command|--checkpoint-action|--use-compress|-I|--info-script|--new-volume|-F|--rsh"),
    "date": re.compile(r"-s|--set|-f|--file"),
    "tree": re.compile(r"-o|-R"),
    "file": re.compile(r"-C|-m|--compile|--magic|-f|--files-from|-z|-Z"),
    "less": re.compile(r".*"),
    "npm": re.compile(r"--prefix|-g|--global|--script-shell|--node-options"),
    "make": re.compile(r"-f|-C|--file|--directory|--eval|-I|SHELL="),
    "go": re.compile(r"-exec|-toolexec|-overlay|-modfile|-C"),
    "diff": re.compile(r"--to-file|--from-file"),
    "uniq": re.compile(r"(?!)"),
}
"""Options that make an otherwise harmless program run another one, write, or read a list of files."""

EVERYDAY: dict[str, re.Pattern[str] | None] = {
    **dict.fromkeys(
        (
            "ls", "pwd", "cat", "head", "tail", "wc", "echo", "which", "whoami", "hostname", "uname", "grep", "rg",
            "egrep", "fgrep", "find", "sort", "cut", "tr", "nl", "basename", "dirname", "realpath", "stat", "file", "du",
            "df", "date", "true", "false", "diff", "cmp", "md5sum", "sha256sum", "sha1sum", "tree", "seq", "id", "printf",
            "column", "comm", "fold", "paste", "rev", "tac", "uptime", "arch", "nproc", "jq", "test",
        )
    ),
    "git": re.compile(
        r"(?:status|diff|log|show|blame|rev-parse|ls-files|ls-tree|describe|shortlog|cat-file|rev-list|name-rev|merge-base"
        r"|branch(?: (?:-a|-r|-v|-vv|--all|--list|--show-current|--remotes))*$|tag(?: (?:-l|--list))?$|remote(?: -v)?$"
        r"|stash list|config --get \S+$|--version)(?: |$)"
    ),
    "python3": re.compile(r"--version$|-V$"),
    "python": re.compile(r"--version$|-V$"),
    "node": re.compile(r"--version$|-v$"),
    "npm": re.compile(r"--version$|ls(?: |$)|-v$"),
    "cargo": re.compile(r"--version$"),
    "go": re.compile(r"version$|env$"),
}  # fmt: skip
"""Commands that only look, allowed without a rule when every word is known and every path lies in the project."""

NO_ALWAYS = INTERPRETERS | WRAPPERS | STATEFUL | {
    "rm", "rmdir", "dd", "mkfs", "shred", "chmod", "chown", "kill", "pkill", "killall", "curl", "wget", "nc", "ncat",
    "ssh", "scp", "rsync", "telnet", "ftp", "pip", "pip3", "npm", "npx", "yarn", "pnpm", "apt", "apt-get", "brew", "gem",
    "docker", "podman", "kubectl", "crontab", "at", "systemctl", "mount", "umount", "ln", "mv", "cp", "tee", "git",
}  # fmt: skip
"""Programs for which "always" is not offered as a star: too much can hide behind further words."""
NETWORK = frozenset(
    {"curl", "wget", "nc", "ncat", "ssh", "scp", "sftp", "rsync", "telnet", "ftp", "ping", "dig", "nslookup", "host"}
)
