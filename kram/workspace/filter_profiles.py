"""What routine output looks like, by the command that made it: lines that say only that all is well so far.

A profile is chosen by the first of the command's programs that one knows. Lines that look like trouble are never routine.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from kram.base import Data

GENERIC_LINES = 400

TROUBLE_PATTERN = (
    r"error|fail|panic|fatal|exception|warn|cannot|can't|could ?n.t|unable|not found|no such|denied|refused|time[d ]*out"
    r"|traceback|assert|abort|segfault|segmentation|undefined|unresolved|missing|invalid|illegal|killed|conflict|rejected|deprecated"
    r"|vulnerab|^E\s|^\s+at \S|^\s*File \"|^\s*-->|^\S+:\d+(?::\d+)?:|^[✗✘×✕]|\bFAIL|\bERR\b"
)
TROUBLE = re.compile(TROUBLE_PATTERN, re.IGNORECASE)
# Words that look like trouble and are the opposite.
_ALL_WELL = re.compile(r"\b(?:0|no) (?:errors?|failures?|failed|warnings?|vulnerabilities)\b", re.IGNORECASE)


class Profile(Data):
    """`commands`: a program and, where it matters, how its arguments begin. `routine`: patterns of lines to drop."""

    name: str
    commands: tuple[str, ...]
    routine: tuple[str, ...]
    max_lines: int


_PROFILES = (
    Profile(
        name="pytest",
        commands=(
            r"pytest",
            r"py\.test",
            r"python[\d.]* -m (?:pytest|unittest)",
            r"tox",
            r"nox",
            r"(?:uv|poetry|hatch|pdm|rye) run (?:-\S+ )*(?:pytest|python[\d.]* -m pytest)",
        ),
        routine=(
            r"^\S+::.*\bPASSED\b",
            r"^\S+\.py [.sx]+ *(?:\[ *\d+%\])?$",
            r"^[.sx]+ *\[ *\d+%\]$",
            r"^(?:platform|cachedir|rootdir|configfile|plugins|asyncio)\b.*",
            r"^.* \.\.\. (?:ok|skipped.*)$",
        ),
        max_lines=120,
    ),
    Profile(
        name="cargo",
        commands=(
            r"cargo(?: \+\S+)? (?:b|build|c|check|t|test|clippy|r|run|doc|install|nextest|bench|fetch|update)\b",
            r"rustup ",
        ),
        routine=(
            r"^\s*(?:Compiling|Checking|Fresh|Dirty|Downloading|Downloaded|Updating) ",
            r"^\s*(?:Locking|Adding|Blocking|Documenting|Installing|Building|Unpacking) ",
            r"^test .* \.\.\. (?:ok|ignored.*)$",
            r"^\s*PASS \[",
            r"^info: ",
        ),
        max_lines=120,
    ),
    Profile(
        name="go",
        commands=(r"go (?:test|build|vet|mod|get|install|generate|run)\b",),
        routine=(
            r"^ok\s+\S+",
            r"^=== (?:RUN|PAUSE|CONT|NAME)\b",
            r"^\s*--- (?:PASS|SKIP):",
            r"^PASS$",
            r"^\?\s.*\[no test files\]",
            r"^go: (?:downloading|added|finding|upgraded)",
        ),
        max_lines=100,
    ),
    Profile(
        name="js-test",
        commands=(
            r"(?:npx |bunx |pnpm (?:exec )?|yarn )?(?:jest|vitest|mocha|ava|playwright test|cypress run)\b",
            r"(?:npm|pnpm|yarn|bun)(?: run)? t(?:est)?\b",
            r"node --test",
            r"deno test",
        ),
        routine=(
            r"^\s*[✓✔√] ",
            r"^\s*(?:PASS|ok) ",
            r"^\s*(?:›|❯) .*\(\d+ tests?\)",
            r"^> .*",
        ),
        max_lines=100,
    ),
    Profile(
        name="npm",
        commands=(
            r"(?:npm|pnpm|yarn|bun)(?: (?:-[CFw]|--(?:filter|prefix|dir|cwd)) \S+| -\S+)*+ (?:i|install|ci|add|up|update)\b",
            r"yarn$",
        ),
        routine=(
            r"^npm (?:http|timing|sill|verb|info) ",
            r"^(?:Progress|Packages|Resolving|Downloading|Fetching|Linking|Lockfile)\b.*",
            r"^\++$",
            r"^\s*[+├└│]",
            r"^info ",
            r"^\[\d/\d\] ",
            r"^.*run `npm fund` for details$",
            r"^.*packages are looking for funding$",
            r"^➤ YN0000",
        ),
        max_lines=60,
    ),
    Profile(
        name="pip",
        commands=(
            r"(?:python[\d.]* -m )?pip[\d.]* (?:install|download|wheel)\b",
            r"uv (?:pip )?(?:install|sync|add|lock)\b",
            r"poetry (?:install|add|update)\b",
            r"pipx install",
            r"conda (?:install|create)\b",
        ),
        routine=(
            r"^\s*(?:Collecting|Downloading|Using cached|Requirement already satisfied)\b",
            r"^\s*(?:Obtaining|Preparing metadata|Building wheel|Created wheel)\b",
            r"^\s*(?:Stored in|Getting requirements|Installing build dependencies|Looking in)\b",
            r"^\s*(?:Attempting uninstall|Found existing|Uninstalling|Successfully uninstalled)\b",
            r"^ *[-+~] \S+==",
            r"^\s*[━╸╺ ]+",
            r"^\s+- (?:Installing|Downloading) ",
        ),
        max_lines=60,
    ),
    Profile(
        name="build",
        commands=(
            r"(?:g|c|n)?make\b",
            r"cmake\b",
            r"ninja\b",
            r"meson\b",
            r"bazel(?:isk)? (?:build|test)",
            r"tsc\b",
            r"(?:npx |pnpm |yarn |bunx )?(?:tsc|vite|webpack|rollup|esbuild|turbo|next)(?: build)?\b",
            r"(?:npm|pnpm|yarn|bun) run build",
        ),
        routine=(
            r"^\[ *\d+%\] ",
            r"^\[\d+/\d+\] ",
            r"^make(?:\[\d+\])?: (?:Entering|Leaving|Nothing)",
            r"^-- (?:Looking|Check|Performing|Detecting|Found)\b",
            r"^(?:gcc|g\+\+|cc|c\+\+|clang|clang\+\+|ar|ranlib|ld|install|libtool)\s",
            r"^\s*(?:CC|CXX|AR|LD|GEN|HOSTCC|AS)\s+\S+$",
            r"^transforming",
            r"^rendering chunks",
            r"^computing gzip",
            r"^INFO: (?:Analyzed|Invocation)",
            r"^\[[\d,]+ / [\d,]+\]",
        ),
        max_lines=100,
    ),
    Profile(
        name="jvm",
        commands=(
            r"(?:\./)?(?:mvnw?|gradlew?)\b",
            r"sbt\b",
        ),
        routine=(
            r"^> Task \S+(?: (?:UP-TO-DATE|NO-SOURCE|FROM-CACHE))?$",
            r"^\[INFO\]\s*(?:Download|-+|$|Building|Resolving|Copying|Nothing)",
            r"^Download(?:ing|ed) ",
            r"^\[info\] (?:loading|resolving|compiling)",
        ),
        max_lines=100,
    ),
    Profile(
        name="docker",
        commands=(
            r"(?:docker|podman)(?: \S+)* (?:build|pull|push|up)\b",
            r"buildah ",
        ),
        routine=(
            r"^#\d+ (?:sha256:|extracting|CACHED)",
            r"^#\d+ (?:transferring|DONE|resolve|\d+\.\d+ (?:Get|Selecting|Preparing|Unpacking|Setting up))",
            r"^[0-9a-f]{12}: ",
            r"^ ?[⠋-⣿✔] ",
        ),
        max_lines=100,
    ),
    Profile(
        name="packages",
        commands=(r"(?:sudo )?(?:apt-get|apt|dnf|yum|apk|brew|pacman) ",),
        routine=(
            r"^(?:Get|Hit|Ign):\d+ ",
            r"^(?:Selecting previously|Preparing to unpack|Unpacking|Setting up)\b",
            r"^(?:Processing triggers|Reading|Building dependency|Fetched)\b",
            r"^\(Reading database",
            r"^\(\d+/\d+\) ",
            r"^==> (?:Downloading|Fetching|Pouring)",
        ),
        max_lines=80,
    ),
    Profile(
        name="git",
        commands=(r"git(?: -[cC] \S+| -\S+)*+ (?:clone|fetch|pull|push|status|submodule|gc)\b",),
        routine=(
            r"^\s+\(use \"git ",
            r"^(?:remote: )?(?:Counting|Compressing|Receiving|Resolving) (?:objects|deltas|files)",
            r"^(?:remote: )?(?:Enumerating|Writing|Updating|Unpacking) (?:objects|deltas|files)",
            r"^Delta compression",
            r"^remote: Total",
        ),
        max_lines=120,
    ),
)
GENERIC = Profile(name="generic", commands=(), routine=(), max_lines=GENERIC_LINES)

_COMMANDS: Mapping[str, re.Pattern[str]] = MappingProxyType(
    {profile.name: re.compile("|".join(profile.commands)) for profile in _PROFILES}
)
_ROUTINE: Mapping[str, re.Pattern[str]] = MappingProxyType(
    {profile.name: re.compile("|".join(profile.routine)) for profile in _PROFILES}
)
_BETWEEN = re.compile(r"&&|\|\||[;|&\n(){}]")
_BEFORE = re.compile(
    r"^\s*(?:(?:[A-Za-z_]\w*=\S*|time|nice|env|exec|command|sudo|nohup|timeout(?: -\S+)* \S+|stdbuf(?: -\S+)+)\s+)*"
)
_FOLDER = re.compile(r"^(?:\S*/)(?=\w)")


def profile_for(command: str) -> Profile:
    """The profile of the first program in the command that has one, `GENERIC` otherwise."""
    for part in _programs(command):
        for profile in _PROFILES:
            if _COMMANDS[profile.name].match(part):
                return profile
    return GENERIC


def _programs(command: str) -> Sequence[str]:
    # Only a guess at the shell's words: a wrong one costs nothing but a less apt profile.
    parts = (_BEFORE.sub("", part).strip() for part in _BETWEEN.split(command[:4_000]))
    return [_FOLDER.sub("", part) for part in parts if part]


def is_routine(line: str, profile: Profile) -> bool:
    pattern = _ROUTINE.get(profile.name)
    return pattern is not None and bool(pattern.search(line)) and not looks_like_trouble(line)


def looks_like_trouble(line: str) -> bool:
    """Whether a line may be why something went wrong."""
    return bool(TROUBLE.search(_ALL_WELL.sub("", line[:2_000])))
