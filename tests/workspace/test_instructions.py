"""Instruction files: which apply, what they import, where the limits are, and what a person is told."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kram.workspace import Instructions
from kram.workspace.imports import imported_paths
from kram.workspace.instructions import MAX_CHARS, MAX_DEPTH, MAX_TOTAL_CHARS


class Project:
    def __init__(self, folder: Path) -> None:
        self.root = folder / "project"
        self.config = folder / "config"
        self.root.mkdir()
        self.config.mkdir()

    def write(self, name: str, text: str) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def open(self) -> Instructions:
        return Instructions(self.root, self.config, lambda: True)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def paths(found: Instructions) -> list[str]:
    return [one.path for one in found.current()]


def test_the_persons_own_come_first_then_the_project_from_its_root_down(project: Project) -> None:
    (project.config / "AGENTS.md").write_text("mine")
    project.write("AGENTS.md", "theirs")
    project.write("sub/AGENTS.md", "nested")
    (project.root / ".git").mkdir()
    inner = Instructions(project.root / "sub", project.config, lambda: True)
    assert [one.text for one in inner.current()] == ["mine", "theirs", "nested"]


def test_claude_md_stands_in_only_where_there_is_no_agents_md(project: Project) -> None:
    project.write("CLAUDE.md", "fallback")
    project.write("both/AGENTS.md", "first")
    project.write("both/CLAUDE.md", "second")
    found = project.open()
    assert paths(found) == ["CLAUDE.md"]
    assert found.touch(str(project.root / "both" / "x.py")) == ("both/AGENTS.md",)
    project.write("AGENTS.md", "now there")
    assert paths(found) == ["AGENTS.md", "both/AGENTS.md"]


def test_nested_files_join_when_their_folder_is_touched_and_are_told_once(project: Project) -> None:
    project.write("a/b/CLAUDE.md", "deep")
    project.write("a/AGENTS.md", "see @notes.md")
    project.write("a/notes.md", "notes")
    found = project.open()
    assert paths(found) == []
    assert found.touch(str(project.root / "a" / "b")) == ("a/AGENTS.md", "a/notes.md", "a/b/CLAUDE.md")
    assert found.touch(str(project.root / "a" / "b" / "c.py")) == ()
    assert found.news() == (), "they were told when they were touched"
    assert found.touch("/etc/passwd") == ()


def test_imports_follow_their_file_and_are_relative_to_it(project: Project) -> None:
    project.write("AGENTS.md", "Read @docs/style.md and @./docs/more.md.")
    project.write("docs/style.md", "style, with @deeper.md")
    project.write("docs/deeper.md", "deeper")
    project.write("docs/more.md", "more, and again @style.md")
    found = project.open()
    assert [(one.path, one.imported_by) for one in found.current()] == [
        ("AGENTS.md", ""),
        ("docs/style.md", "AGENTS.md"),
        ("docs/deeper.md", "docs/style.md"),
        ("docs/more.md", "AGENTS.md"),
    ]
    assert found.problems == ()


def test_a_circle_of_imports_ends(project: Project) -> None:
    project.write("AGENTS.md", "@a.md")
    project.write("a.md", "@b.md @AGENTS.md")
    project.write("b.md", "@a.md @b.md")
    found = project.open()
    assert paths(found) == ["AGENTS.md", "a.md", "b.md"]
    assert found.problems == ()


def test_imports_go_only_so_deep(project: Project) -> None:
    project.write("AGENTS.md", "@1.md")
    for number in range(1, 12):
        project.write(f"{number}.md", f"@{number + 1}.md")
    found = project.open()
    assert paths(found) == ["AGENTS.md", *(f"{number}.md" for number in range(1, MAX_DEPTH + 1))]
    assert f"@{MAX_DEPTH + 1}.md in {MAX_DEPTH}.md" in found.problems[0]


@pytest.mark.parametrize("wanted", ["../secret.md", "/etc/motd.txt", "~/notes.md", "link.md", "a/../../secret.md"])
def test_nothing_is_imported_from_outside_of_the_project(project: Project, wanted: str) -> None:
    (project.root.parent / "secret.md").write_text("secret")
    (project.root / "link.md").symlink_to(project.root.parent / "secret.md")
    project.write("AGENTS.md", f"@{wanted}")
    found = project.open()
    assert paths(found) == ["AGENTS.md"]
    assert f"@{wanted} in AGENTS.md leads outside" in found.problems[0]


def test_an_instruction_file_that_is_a_link_to_elsewhere_is_not_loaded(project: Project) -> None:
    outside = project.root.parent / "AGENTS.md"
    outside.write_text("outside")
    (project.root / "AGENTS.md").symlink_to(outside)
    found = project.open()
    assert paths(found) == []
    assert "leads outside" in found.problems[0]


def test_the_persons_own_file_may_be_a_link_but_imports_only_beside_itself(project: Project) -> None:
    dotfiles = project.root.parent / "dotfiles.md"
    dotfiles.write_text("mine, @beside.md and @../dotfiles2.md")
    (project.root.parent / "dotfiles2.md").write_text("no")
    (project.config / "AGENTS.md").symlink_to(dotfiles)
    (project.config / "beside.md").write_text("beside")
    found = project.open()
    assert [one.text for one in found.current()] == ["mine, @beside.md and @../dotfiles2.md", "beside"]
    assert len(found.problems) == 1


def test_a_missing_import_is_named(project: Project) -> None:
    project.write("AGENTS.md", "see @docs/gone.md")
    found = project.open()
    found.current()
    assert found.problems == ("@docs/gone.md in AGENTS.md: there is no such file",)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("@a.md", ["a.md"]),
        ("See @a.md, @b/c.txt; and @a.md.", ["a.md", "b/c.txt"]),
        ("- @docs/with\\ space.md", ["docs/with space.md"]),
        ("Thanks @user! Use @ai-sdk/provider, @pytest.mark.asyncio, pnpm@10", []),
        ("mail a@b.md or x@y.txt", []),
        ("`@a.md` and ``x `@b.md` y`` but @c.md", ["c.md"]),
        ("```\n@a.md\n```\n@b.md", ["b.md"]),
        ("~~~~ md\n@a.md\n~~~\n@b.md\n~~~~\n@c.md", ["c.md"]),
        ("```\n@a.md never closed", []),
        ("@.env @keys.pem @package.json @src/main.py", []),
        ("(@a.md) [@b.md] <@c.md>", []),
        ("@@a.md /@b.md", []),
        ("@a.MD", ["a.MD"]),
    ],
)
def test_what_is_an_import_and_what_is_not(text: str, found: list[str]) -> None:
    assert imported_paths(text) == found


def test_a_long_file_is_cut_at_a_line_and_that_is_told(project: Project) -> None:
    project.write("AGENTS.md", "line\n" * (MAX_CHARS // 5 + 100))
    found = project.open()
    (one,) = found.current()
    assert len(one.text) < MAX_CHARS + 100
    assert one.text.endswith(f"line\n[cut: the file is longer than {MAX_CHARS} characters]")
    assert "longer than" in found.problems[0]


def test_all_files_together_have_a_limit(project: Project) -> None:
    count = MAX_TOTAL_CHARS // MAX_CHARS + 2
    project.write("AGENTS.md", " ".join(f"@{number}.md" for number in range(count)))
    for number in range(count):
        project.write(f"{number}.md", "x" * (MAX_CHARS - 10))
    found = project.open()
    assert sum(len(one.text) for one in found.current()) <= MAX_TOTAL_CHARS
    assert any("together" in problem for problem in found.problems)


def test_a_changed_file_is_read_again_and_told(project: Project) -> None:
    path = project.write("AGENTS.md", "one")
    found = project.open()
    assert found.news() == ("Loaded AGENTS.md",)
    assert found.news() == ()
    project.write("AGENTS.md", "two, with @docs/a.md")
    project.write("docs/a.md", "a")
    assert [one.text for one in found.current()] == ["two, with @docs/a.md", "a"]
    assert found.news() == ("Loaded docs/a.md", "Changed, read again: AGENTS.md")
    path.unlink()
    assert found.news() == ("No longer there: AGENTS.md, docs/a.md (2 files)",)


def test_a_change_of_the_same_length_in_the_same_second_counts(project: Project) -> None:
    path = project.write("AGENTS.md", "one")
    found = project.open()
    found.current()
    at = path.stat().st_mtime_ns
    path.write_text("two")
    os.utime(path, ns=(at + 1, at + 1))
    assert [one.text for one in found.current()] == ["two"]


def test_what_is_left_out_is_told_once(project: Project) -> None:
    project.write("AGENTS.md", "@gone.md")
    found = project.open()
    assert found.news() == ("Loaded AGENTS.md", "@gone.md in AGENTS.md: there is no such file")
    assert found.news() == ()


def test_odd_files_are_no_obstacle(project: Project) -> None:
    project.write("AGENTS.md", "ok @folder.md @fifo.md @loop.md @nul\0.md @" + "x" * 300 + ".md")
    (project.root / "folder.md").mkdir()
    os.mkfifo(project.root / "fifo.md")
    (project.root / "loop.md").symlink_to("loop.md")
    found = project.open()
    assert paths(found) == ["AGENTS.md"]
    assert len(found.problems) == 5


def test_windows_line_ends_and_a_byte_order_mark_are_taken_off(project: Project) -> None:
    (project.root / "AGENTS.md").write_bytes("\ufeffone\r\ntwo\r\n".encode())
    assert [one.text for one in project.open().current()] == ["one\ntwo\n"]


def test_nothing_of_an_untrusted_project_applies_but_it_is_named(project: Project) -> None:
    project.write("AGENTS.md", "Rules. @more.md")
    project.write("more.md", "More.")
    trusted = False
    found = Instructions(project.root, project.config, lambda: trusted)
    assert found.current() == ()
    assert [path.name for path in found.project_files()] == ["AGENTS.md", "more.md"]
    assert found.news() == ()
    trusted = True
    assert [one.path for one in found.current()] == ["AGENTS.md", "more.md"]
