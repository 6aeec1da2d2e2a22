"""Skills: folders with a `SKILL.md` that tells a model how to do a kind of work. Name and description are known from the
start, the body is read when a skill is used, the files beside it when the body asks for them.

The format is that of agentskills.io: YAML front matter with `name` (the folder's where it is missing) and `description`.
Odd names are used with a warning; a skill without a description is left out and said to be, since nobody could choose it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, TypeAlias

from kram.base import Data, NotAFile, one_line, read_bytes

from .frontmatter import BadFrontmatter, split_frontmatter

FILE = "SKILL.md"
MAX_BYTES = 1_000_000
MAX_DEPTH = 3
MAX_SKILLS = 200
MAX_NAME_CHARS = 64
MAX_DESCRIPTION_CHARS = 1_024
_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*\Z")

Origin: TypeAlias = Literal["project", "user"]


class Skill(Data):
    """`for_model` and `for_person`: who may start it. `path` is the `SKILL.md`."""

    name: str
    description: str
    path: Path
    origin: Origin = "project"
    for_model: bool = True
    for_person: bool = True

    @property
    def folder(self) -> Path:
        return self.path.parent


class Skills(Data):
    """What was found, by name, and what a person should know about it."""

    found: tuple[Skill, ...] = ()
    problems: tuple[str, ...] = ()

    def get(self, name: str) -> Skill | None:
        return next((one for one in self.found if one.name == name), None)


class BadSkill(Exception):
    """Why a skill is left out."""


def skill_folders(root: Path, config: Path, home: Path | None, *, trusted: bool) -> list[tuple[Path, Origin]]:
    """Where skills are looked for, the strongest first: in the project, where it is trusted, then the person's own."""
    places = (".kram", ".agents", ".claude")
    project: list[tuple[Path, Origin]] = [(root / place / "skills", "project") for place in places] if trusted else []
    own: list[tuple[Path, Origin]] = [(config / "skills", "user")]
    return project + own + ([(home / ".agents" / "skills", "user")] if home is not None else [])


def find_skills(folders: Sequence[tuple[Path, Origin]]) -> Skills:
    """All skills of some folders; of two with the same name the first counts. Never raises."""
    found: dict[str, Skill] = {}
    problems: list[str] = []
    for folder, origin in folders:
        for path in _skill_files(folder):
            try:
                skill, odd = read_skill(path, origin)
            except BadSkill as failure:
                problems.append(f"Skill {path} is left out: {failure}")
                continue
            problems += [f"Skill {path}: {one}" for one in odd]
            if (earlier := found.get(skill.name)) is not None:
                problems.append(f"Skill {path} is left out: {earlier.path} has the same name")
            elif len(found) >= MAX_SKILLS:
                problems.append(f"Skill {path} is left out: there are more than {MAX_SKILLS}")
            else:
                found[skill.name] = skill
    return Skills(found=tuple(sorted(found.values(), key=lambda one: one.name)), problems=tuple(problems))


def read_skill(path: Path, origin: Origin = "project") -> tuple[Skill, list[str]]:
    """A skill and what is odd about it. Raises `BadSkill`."""
    head, _ = _parts(path)
    description = _words(head.get("description"))
    if not description:
        raise BadSkill("it has no description")
    name = one_line(_words(head.get("name")), 200) or path.parent.name
    skill = Skill(
        name=name,
        description=description[:MAX_DESCRIPTION_CHARS],
        path=path,
        origin=origin,
        for_model=head.get("disable-model-invocation") is not True,
        for_person=head.get("user-invocable") is not False,
    )
    return skill, [*_odd_name(name, path.parent.name), *_odd_description(description)]


def skill_body(skill: Skill) -> str:
    """The text behind the front matter, as it is now. Raises `BadSkill`."""
    return _parts(skill.path)[1].strip("\n")


def _parts(path: Path) -> tuple[dict[str, Any], str]:
    try:
        data = read_bytes(path.resolve(), MAX_BYTES + 1)
    except (OSError, NotAFile, RuntimeError) as failure:
        raise BadSkill(f"it cannot be read: {getattr(failure, 'strerror', None) or failure}") from failure
    if len(data) > MAX_BYTES:
        raise BadSkill(f"it is larger than {MAX_BYTES} bytes")
    try:
        return split_frontmatter(data.decode("utf-8-sig", "replace").replace("\r\n", "\n"))
    except BadFrontmatter as failure:
        raise BadSkill(str(failure)) from failure


def _skill_files(folder: Path, depth: int = 0) -> Iterator[Path]:
    """A folder with a `SKILL.md` is a skill, and nothing below it is one of its own. Links to folders are not followed
    below the first level."""
    if depth and (folder / FILE).is_file():
        yield folder / FILE
        return
    if depth >= MAX_DEPTH:
        return
    try:
        inner = sorted(
            Path(one.path)
            for one in os.scandir(folder)
            if one.is_dir(follow_symlinks=depth == 0) and not one.name.startswith(".") and one.name != "node_modules"
        )
    except OSError:
        return
    for one in inner:
        yield from _skill_files(one, depth + 1)


def _odd_name(name: str, folder: str) -> Iterator[str]:
    if len(name) > MAX_NAME_CHARS:
        yield f"its name is longer than {MAX_NAME_CHARS} characters"
    if "--" in name:
        yield f"its name '{name}' has consecutive hyphens"
    elif not _NAME.match(name):
        yield f"its name '{name}' has characters other than a-z, 0-9 and single hyphens"
    if name != folder:
        yield f"its name '{name}' is not that of its folder '{folder}'"


def _odd_description(description: str) -> Iterator[str]:
    if len(description) > MAX_DESCRIPTION_CHARS:
        yield f"its description is cut to {MAX_DESCRIPTION_CHARS} characters"


def _words(value: Any) -> str:
    return (
        value.strip()
        if isinstance(value, str)
        else ""
        if value is None or isinstance(value, dict | list)
        else str(value)
    )
