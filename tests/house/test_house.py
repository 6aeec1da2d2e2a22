"""The house keeps its floors: import directions, cycles, file sizes, who prints, what start-up loads."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "kram"
MAX_LINES = 400
ALLOWED_TOP = {"pyproject.toml", "README.md", "AGENTS.md", "LICENSE", "kram", "tests", "themes"}


def modules() -> Iterator[Path]:
    return (path for path in sorted(PACKAGE.rglob("*.py")))


def imported(path: Path) -> Iterator[str]:
    """Absolute names a module imports, wherever in the file the import stands."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield node.module


def tracked() -> list[str]:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("not a git checkout")
    return listed.stdout.splitlines()


def test_floors_hold_and_there_is_no_cycle() -> None:
    done = subprocess.run(
        [str(Path(sys.executable).parent / "lint-imports")], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_no_file_is_longer_than_the_limit() -> None:
    long = {str(p.relative_to(ROOT)): n for p in modules() if (n := len(p.read_text("utf-8").splitlines())) > MAX_LINES}
    assert not long


def test_every_module_says_what_it_is() -> None:
    silent = [str(p.relative_to(ROOT)) for p in modules() if not ast.get_docstring(ast.parse(p.read_text("utf-8")))]
    assert not silent


def test_only_the_command_line_prints() -> None:
    printing = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in modules()
        if path.relative_to(PACKAGE).parts[0] != "cli"
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
    ]
    assert not printing


def test_only_the_interface_imports_textual() -> None:
    guilty = [
        str(path.relative_to(ROOT))
        for path in modules()
        if path.relative_to(PACKAGE).parts[0] != "tui"
        and any(name.split(".")[0] == "textual" for name in imported(path))
    ]
    assert not guilty


def test_no_import_is_hidden_from_the_floors() -> None:
    hiding = [str(path.relative_to(ROOT)) for path in modules() if "TYPE_CHECKING" in path.read_text("utf-8")]
    assert not hiding


def loaded_after(statement: str) -> set[str]:
    code = f"import sys\n{statement}\nprint('\\n'.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_importing_kram_is_cheap() -> None:
    assert not {"textual", "httpx", "msgspec", "asyncio"} & loaded_after("import kram")


@pytest.mark.parametrize(
    "heavy", ["textual", "httpx", "xllamacpp", "jsonschema", "tree_sitter", "keyring", "starlette"]
)
def test_headless_loads_heavy_libraries_only_when_used(heavy: str) -> None:
    assert heavy not in loaded_after("import kram.runtime, kram.headless")


def test_top_level_has_only_what_belongs_there() -> None:
    top = {name.split("/")[0] for name in tracked()}
    assert {name for name in top if not name.startswith(".")} <= ALLOWED_TOP
