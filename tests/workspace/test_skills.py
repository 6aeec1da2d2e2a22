"""Skills: where they are looked for, what their front matter may look like, and what is told about odd ones."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kram.workspace import BadSkill, find_skills, skill_body
from kram.workspace.skills import read_skill


def skill(folder: Path, name: str, text: str) -> Path:
    path = folder / name / "SKILL.md"
    path.parent.mkdir(parents=True)
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("head", "description"),
    [
        ("description: plain words", "plain words"),
        ("description: 'quoted: words'", "quoted: words"),
        ("description: Use when: asked, e.g. a: b", "Use when: asked, e.g. a: b"),
        ("description: it's odd: really", "it's odd: really"),
        ("description: >\n  folded\n  words\n", "folded words"),
        ("description: |-\n  two\n  lines", "two\nlines"),
        ("description: 2024", "2024"),
        ("# comment\ndescription: x\nmetadata:\n  a: b\nallowed-tools: Bash(git:*) Read", "x"),
    ],
)
def test_descriptions_are_read_as_people_write_them(tmp_path: Path, head: str, description: str) -> None:
    path = skill(tmp_path, "a", f"---\n{head}\n---\n\nbody\n---\nmore\n")
    found, odd = read_skill(path)
    assert (found.name, found.description, odd) == ("a", description, [])
    assert skill_body(found) == "body\n---\nmore"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "no description"),
        ("no front matter", "no description"),
        ("---\nname: a\n---\n", "no description"),
        ("---\ndescription:\n---\n", "no description"),
        ("---\ndescription: [1, 2]\n---\n", "no description"),
        ("---\n- a\n- b\n---\n", "no mapping"),
        ("---\ndescription: {open\n---\n", "line"),
        ("---\ndescription: !!python/object/apply:os.system ['true']\n---\n", "constructor"),
        ("---\ndescription: never closed\n", "no description"),
        ("---\n" + "a: b\n" * 20_000 + "---\n", "longer"),
    ],
)
def test_what_cannot_be_used_says_why(tmp_path: Path, text: str, why: str) -> None:
    with pytest.raises(BadSkill, match=why):
        read_skill(skill(tmp_path, "a", text))


def test_the_first_of_two_with_the_same_name_counts_and_the_other_is_told(tmp_path: Path) -> None:
    text = "---\nname: same\ndescription: {}\n---\n"
    skill(tmp_path / "project", "same", text.format("theirs"))
    skill(tmp_path / "user", "same", text.format("mine"))
    skills = find_skills([(tmp_path / "project", "project"), (tmp_path / "user", "user")])
    assert [(one.description, one.origin) for one in skills.found] == [("theirs", "project")]
    assert "same name" in skills.problems[0]


def test_no_folder_no_skill_and_no_word(tmp_path: Path) -> None:
    skills = find_skills([(tmp_path / "none", "project")])
    assert (skills.found, skills.problems) == ((), ())


def test_hidden_folders_files_and_circles_are_passed_by(tmp_path: Path) -> None:
    skill(tmp_path, ".hidden", "---\ndescription: x\n---\n")
    skill(tmp_path, "deep/er/still/more", "---\ndescription: x\n---\n")
    (tmp_path / "SKILL.md").write_text("---\ndescription: x\n---\n")
    (tmp_path / "file").write_text("x")
    (tmp_path / "group").mkdir()
    (tmp_path / "group" / "round").symlink_to(tmp_path)
    os.mkfifo(tmp_path / "fifo")
    skills = find_skills([(tmp_path, "project")])
    assert (skills.found, skills.problems) == ((), ())


def test_a_skill_may_be_a_link_as_other_agents_have_it(tmp_path: Path) -> None:
    skill(tmp_path / "elsewhere", "linked", "---\ndescription: x\n---\n")
    (tmp_path / "skills").mkdir()
    (tmp_path / "skills" / "linked").symlink_to(tmp_path / "elsewhere" / "linked")
    assert [one.name for one in find_skills([(tmp_path / "skills", "user")]).found] == ["linked"]


def test_a_pipe_in_the_place_of_the_file_does_not_hang(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    os.mkfifo(tmp_path / "a" / "SKILL.md")
    assert find_skills([(tmp_path, "project")]).found == ()
    with pytest.raises(BadSkill, match="regular"):
        read_skill(tmp_path / "a" / "SKILL.md")
