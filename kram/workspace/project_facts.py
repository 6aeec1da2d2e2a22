"""What a project is, as far as its files say so without a model: languages, layout, commands, papers. Blocks."""

from __future__ import annotations

from collections import Counter
from pathlib import Path, PurePosixPath

from kram.base import Data, NotAFile, one_line, read_bytes

from .ignore import walk
from .project_files import READERS, commands_of, workflow

MAX_FILES = 20_000
MAX_BYTES = 300_000
MAX_LANGUAGES = 8
MAX_LAYOUT = 40
LINE_CHARS = 200

LANGUAGES = {
    ".py": "Python", ".pyi": "Python", ".js": "JavaScript", ".mjs": "JavaScript", ".cjs": "JavaScript", ".jsx": "JavaScript",
    ".ts": "TypeScript", ".tsx": "TypeScript", ".vue": "Vue", ".svelte": "Svelte", ".go": "Go", ".rs": "Rust",
    ".java": "Java", ".kt": "Kotlin", ".kts": "Kotlin", ".scala": "Scala", ".c": "C", ".h": "C or C++", ".cc": "C++",
    ".cpp": "C++", ".hpp": "C++", ".cs": "C#", ".fs": "F#", ".rb": "Ruby", ".php": "PHP", ".swift": "Swift", ".m": "Objective-C",
    ".ex": "Elixir", ".exs": "Elixir", ".erl": "Erlang", ".hs": "Haskell", ".ml": "OCaml", ".clj": "Clojure", ".lua": "Lua",
    ".zig": "Zig", ".dart": "Dart", ".r": "R", ".jl": "Julia", ".sh": "Shell", ".bash": "Shell", ".sql": "SQL", ".html": "HTML",
    ".css": "CSS", ".scss": "CSS", ".tf": "Terraform", ".nix": "Nix", ".proto": "Protocol Buffers", ".md": "Markdown",
}  # fmt: skip
SIGNS = {
    "uv.lock": "uv", "poetry.lock": "Poetry", "pdm.lock": "PDM", "Pipfile.lock": "pipenv", "requirements.txt": "pip",
    "package-lock.json": "npm", "pnpm-lock.yaml": "pnpm", "yarn.lock": "Yarn", "bun.lock": "Bun", "bun.lockb": "Bun",
    "Cargo.toml": "Cargo (cargo build, cargo test)", "go.mod": "Go modules (go build ./..., go test ./...)",
    "pom.xml": "Maven", "build.gradle": "Gradle", "build.gradle.kts": "Gradle", "CMakeLists.txt": "CMake", "mix.exs": "Mix",
    "Gemfile": "Bundler", "composer.json": "Composer", "Dockerfile": "Docker", "compose.yaml": "Docker Compose",
    "docker-compose.yml": "Docker Compose", "flake.nix": "Nix flakes", "meson.build": "Meson", "MODULE.bazel": "Bazel",
}  # fmt: skip
PAPERS = ("README", "CONTRIBUTING", "ARCHITECTURE", "AGENTS", "CLAUDE", "GEMINI", "DEVELOPMENT", "HACKING")
OTHER_RULES = (".cursorrules", ".cursor/rules", ".github/copilot-instructions.md", ".windsurfrules", ".clinerules")


class ProjectFacts(Data):
    """`languages` with their number of files, `layout` the top level, `commands` by the file that names them."""

    files: int
    languages: tuple[tuple[str, int], ...] = ()
    layout: tuple[str, ...] = ()
    signs: tuple[str, ...] = ()
    papers: tuple[str, ...] = ()
    commands: tuple[tuple[str, tuple[str, ...]], ...] = ()

    def text(self) -> str:
        """As lines for a prompt; what is empty is left out."""
        rows = [f"Files: {self.files}{' or more' if self.files >= MAX_FILES else ''}"]
        sections = (
            ("Languages by files", [f"{name} {count}" for name, count in self.languages]),
            ("Top level", list(self.layout)),
            ("Recognised by their files", list(self.signs)),
            ("Papers that exist", list(self.papers)),
        )
        rows += [f"{name}: {', '.join(items)}" for name, items in sections if items]
        for source, commands in self.commands:
            rows += [f"Named in {source}:", *(f"  {one_line(command, LINE_CHARS)}" for command in commands)]
        return "\n".join(rows)


def project_facts(root: Path) -> ProjectFacts:
    """Never raises: what cannot be read is not known."""
    names = [relative for relative, _ in walk(root, root, max_entries=MAX_FILES)]
    counted = Counter(
        LANGUAGES[suffix] for name in names if (suffix := PurePosixPath(name).suffix.lower()) in LANGUAGES
    )
    top = Counter(name.split("/", 1)[0] + ("/" if "/" in name else "") for name in names)
    plain = [name for name in names if "/" not in name]
    return ProjectFacts(
        files=len(names),
        languages=tuple(counted.most_common(MAX_LANGUAGES)),
        layout=tuple(sorted(top)[:MAX_LAYOUT]),
        signs=tuple(dict.fromkeys(SIGNS[name] for name in plain if name in SIGNS)),
        papers=tuple(_papers(root, plain)),
        commands=tuple(_commands(root)),
    )


def _papers(root: Path, plain: list[str]) -> list[str]:
    known = [name for name in plain if PurePosixPath(name).stem.upper() in PAPERS]
    return known + [name for name in OTHER_RULES if (root / name).exists()]


def _commands(root: Path) -> list[tuple[str, tuple[str, ...]]]:
    found: list[tuple[str, tuple[str, ...]]] = []
    for name, read in READERS:
        if commands := commands_of(read, _text(root / name)):
            found.append((name, tuple(commands)))
    try:
        flows = sorted(path for path in (root / ".github" / "workflows").iterdir() if path.suffix in (".yml", ".yaml"))
    except OSError:
        flows = []
    for path in flows[:10]:
        if commands := commands_of(workflow, _text(path)):
            found.append((f".github/workflows/{path.name}", tuple(commands)))
    return found


def _text(path: Path) -> str:
    try:
        return read_bytes(path, MAX_BYTES).decode("utf-8", "replace")
    except (OSError, NotAFile):
        return ""
