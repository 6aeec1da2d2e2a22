"""The rule "always" would store: the shortest that is honest, or none where none would be safe."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence

from .everyday import only_looks
from .hazards import hazard
from .patterns import covers, pattern_of
from .programs import NETWORK, STATEFUL, destroys, is_interpreter, launched
from .wrappers import LOOKED_THROUGH, WRAPPER_NAMES, looked_through

_STAR = frozenset({
    "pytest", "ruff", "mypy", "pyright", "black", "isort", "flake8", "pylint", "eslint", "prettier", "tsc", "jest", "vitest",
    "mocha", "rspec", "rubocop", "phpunit", "ctest", "gofmt", "golangci-lint", "shellcheck", "yamllint", "hadolint", "biome",
    "oxlint", "stylelint", "clippy-driver", "rustfmt", "clang-format", "clang-tidy", "ls", "cat", "head", "tail", "wc", "grep",
    "rg", "stat", "du", "diff", "tree", "mkdir", "touch", "coverage", "cloc", "tokei", "scc", "bandit", "vulture",
})  # fmt: skip
"""Programs whose further words do not change what kind of thing they do."""
_STAR_PAIRS = frozenset({
    ("cargo", "test"), ("cargo", "check"), ("cargo", "clippy"), ("cargo", "build"), ("cargo", "fmt"), ("cargo", "bench"),
    ("go", "test"), ("go", "vet"), ("go", "build"), ("go", "fmt"), ("go", "list"), ("git", "add"), ("git", "commit"),
    ("git", "status"), ("git", "diff"), ("git", "log"), ("git", "show"), ("git", "blame"),
    ("dotnet", "test"), ("dotnet", "build"), ("mix", "test"), ("swift", "test"), ("swift", "build"), ("npm", "test"),
})  # fmt: skip
_NEVER = frozenset({
    "rm", "rmdir", "unlink", "mv", "cp", "ln", "install", "chmod", "tee", "pip", "pip3", "pipx", "gem", "npx", "docker",
    "podman", "xargs", "env", "sudo", "find", "sed", "awk", "gawk", "perl",
})  # fmt: skip
_INSTALLERS = re.compile(
    r"(?:npm|pnpm|yarn|bun) (?:i|install|ci|add|update|upgrade|remove|uninstall|link|exec|x|dlx|publish|create|init|audit)\b"
    r"|(?:uv|poetry|pdm|cargo|go|composer|conda|mamba|bundle|hatch|rye|pixi|dotnet|luarocks|opam|cabal|stack|nuget) "
    r"(?:add|install|sync|pip|tool|get|update|upgrade|remove|publish|self|lock|mod|require|global|run|exec|restore)\b|yarn$|bun$"
)


def suggestion(words: Sequence[str]) -> str:
    """A pattern that covers these words and is safe to keep; "" where "always" must not be offered."""
    inner = looked_through(words)
    if inner is None or not inner or not _offered(inner):
        return ""
    pattern = _pattern(inner)
    try:
        fits = bool(pattern) and covers(pattern_of(pattern), inner)
    except ValueError:
        return ""
    return pattern if fits else ""


def _offered(words: Sequence[str]) -> bool:
    name = words[0]
    if "/" in name or not re.fullmatch(r"[A-Za-z0-9][\w.+-]*", name, re.ASCII):
        return False
    if name in _NEVER or name in STATEFUL or name in NETWORK or (name in WRAPPER_NAMES and name not in LOOKED_THROUGH):
        return False
    if is_interpreter(name) or launched(words) or hazard(words) or destroys(words):
        return False
    if name == "git" and not only_looks(words) and words[1:2] not in (("add",), ("commit",), ["add"], ["commit"]):
        return False
    return _INSTALLERS.match(" ".join(words)) is None


def _pattern(words: Sequence[str]) -> str:
    if words[0] in _STAR:
        return f"{words[0]} *"
    if tuple(words[:2]) in _STAR_PAIRS:
        return f"{words[0]} {words[1]} *"
    if any("*" in word or not word.isprintable() for word in words):
        return ""
    return shlex.join(words)
