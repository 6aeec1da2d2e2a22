"""Real instruction files and skills of public projects load as their index says."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from kram.workspace import BadSkill, Instructions, find_skills, skill_body
from kram.workspace.instructions import MAX_CHARS
from kram.workspace.skills import read_skill

DATA = Path(__file__).parents[2].parent / "shared" / "data" / "agents-md"
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="needs the shared data")


def index(name: str) -> Any:
    path = DATA / name
    return json.loads(path.read_text("utf-8")) if path.is_file() else []


REPOS: dict[str, list[dict[str, Any]]] = defaultdict(list)
for row in index("index.json"):
    REPOS[row["repo"]].append(row)
ODD: dict[str, str] = (index("skills-odd/index.json") or {"peer_behaviour": {}})["peer_behaviour"]


@pytest.mark.parametrize("repo", sorted(REPOS))
def test_a_projects_instruction_files_load(repo: str, tmp_path: Path) -> None:
    root = tmp_path / "project"
    for row in REPOS[repo]:
        target = root / row["install_as"]
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(DATA / row["file"], target)
    instructions = Instructions(root, tmp_path / "config", lambda: True)
    for row in REPOS[repo]:
        instructions.touch(str((root / row["install_as"]).parent / "some_file.py"))
    loaded = {one.path: one.text for one in instructions.current()}
    assert set(loaded) == {row["install_as"] for row in REPOS[repo]}
    depths = [path.count("/") for path in loaded]
    assert depths == sorted(depths), "the outermost first"
    for row in REPOS[repo]:
        raw = (DATA / row["file"]).read_bytes()
        assert hashlib.sha256(raw).hexdigest() == row["sha256"]
        text = raw.decode("utf-8")
        if len(text) <= MAX_CHARS:
            assert loaded[row["install_as"]] == text.replace("\r\n", "\n")
            assert loaded[row["install_as"]].count("\n") in (row["lines"], row["lines"] - 1)
        else:
            head, _, note = loaded[row["install_as"]].rpartition("[cut:")
            assert note
            assert text.startswith(head)
            assert any(row["install_as"] in problem and "longer" in problem for problem in instructions.problems)
    too_long = [row for row in REPOS[repo] if row["bytes"] > MAX_CHARS]
    assert len(instructions.problems) == len(too_long), "no package, person or decorator is taken for an import"


@pytest.mark.parametrize("row", index("skills/index.json"), ids=lambda row: str(row["skill"]))
def test_a_real_skill_loads_whole_and_without_a_word(row: dict[str, Any]) -> None:
    folder = DATA / "skills" / row["skill"]
    skill, odd = read_skill(folder / "SKILL.md")
    assert skill.name == row["skill"]
    assert odd == []
    assert len(skill.description) > 50
    text = (folder / "SKILL.md").read_text("utf-8")
    assert skill_body(skill) in text
    assert not skill_body(skill).startswith("---")


def test_all_real_skills_are_found_together() -> None:
    skills = find_skills([(DATA / "skills", "project")])
    assert {one.name for one in skills.found} == {row["skill"] for row in index("skills/index.json")}
    assert skills.problems == ()


WARNED = {
    "name-mismatch": ("different-name", "not that of its folder"),
    "invalid-name-chars": ("Invalid_Name", "characters other than"),
    "long-name": ("this-is-a-very-long-skill-name", "longer than 64"),
    "consecutive-hyphens": ("bad--name", "consecutive hyphens"),
}
SKIPPED = {"missing-description": "no description", "no-frontmatter": "no description", "invalid-yaml": "line "}


def test_the_index_of_odd_skills_is_the_one_known_here() -> None:
    known = {*WARNED, *SKIPPED, "valid-skill", "unknown-field", "nested", "root-skill-preferred"}
    assert set(ODD) == known | {"multiline-description", "disable-model-invocation"}


@pytest.mark.parametrize("name", sorted(WARNED))
def test_an_odd_name_is_used_with_a_warning(name: str) -> None:
    assert ODD[name].startswith("loads")
    skill, odd = read_skill(DATA / "skills-odd" / name / "SKILL.md")
    begins, warning = WARNED[name]
    assert skill.name.startswith(begins)
    assert any(warning in one for one in odd)


@pytest.mark.parametrize("name", sorted(SKIPPED))
def test_what_cannot_be_chosen_is_left_out_and_told(name: str) -> None:
    assert ODD[name].startswith("skipped")
    with pytest.raises(BadSkill, match=SKIPPED[name]):
        read_skill(DATA / "skills-odd" / name / "SKILL.md")


@pytest.mark.parametrize("name", ["valid-skill", "unknown-field"])
def test_fields_of_others_are_no_matter(name: str) -> None:
    skill, odd = read_skill(DATA / "skills-odd" / name / "SKILL.md")
    assert (skill.name, odd) == (name, [])


def test_a_block_of_lines_keeps_them() -> None:
    skill, _ = read_skill(DATA / "skills-odd" / "multiline-description" / "SKILL.md")
    assert skill.description.splitlines() == [
        "This is a multiline description.",
        "It spans multiple lines.",
        "And should be normalized.",
    ]


def test_a_skill_may_be_kept_from_the_model() -> None:
    skill, _ = read_skill(DATA / "skills-odd" / "disable-model-invocation" / "SKILL.md")
    assert (skill.for_model, skill.for_person) == (False, True)


def test_folders_of_skills_are_looked_into_but_not_skills() -> None:
    skills = find_skills([(DATA / "skills-odd", "project")])
    assert skills.get("child-skill") is not None
    assert skills.get("root-skill-preferred") is not None, "the folder's name stands in for a missing one"
    assert skills.get("nested-child") is None
    left_out = [problem for problem in skills.problems if "left out" in problem]
    assert len(left_out) == len(SKIPPED)
