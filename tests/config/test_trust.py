"""A project is trusted as it was shown, and no longer once anything in it that can run is another."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from kram.base import UsageError
from kram.config import TrustStore, review


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / ".kram" / "tools").mkdir(parents=True)
    (folder / ".kram" / "tools" / "deploy.toml").write_text("command = 'true'")
    (folder / ".mcp.json").write_text("{}")
    (folder / "README.md").write_text("hello")
    return folder


@pytest.fixture
def store(tmp_path: Path) -> TrustStore:
    return TrustStore(tmp_path / "data")


def trust(store: TrustStore, project: Path) -> None:
    store.answer(project, store.state(project), trusted=True)


def test_a_project_is_new_until_it_is_answered_and_shows_what_can_run(store: TrustStore, project: Path) -> None:
    state = store.state(project)
    assert state.standing == "new"
    assert set(state.files) == {".kram/tools/deploy.toml", ".mcp.json"}
    trust(store, project)
    assert store.state(project).standing == "trusted"
    assert TrustStore(project.parent / "data").state(project).standing == "trusted"


def test_a_no_is_remembered_too(store: TrustStore, project: Path) -> None:
    store.answer(project, store.state(project), trusted=False)
    assert store.state(project).standing == "declined"
    store.forget(project)
    assert store.state(project).standing == "new"


def add(project: Path) -> str:
    (project / ".kram" / "skills" / "x").mkdir(parents=True)
    (project / ".kram" / "skills" / "x" / "SKILL.md").write_text("x")
    return "+ .kram/skills/x/SKILL.md"


def change(project: Path) -> str:
    (project / ".kram" / "tools" / "deploy.toml").write_text("command = 'evil'")
    return "~ .kram/tools/deploy.toml"


def remove(project: Path) -> str:
    (project / ".mcp.json").unlink()
    return "- .mcp.json"


def replace_by_link(project: Path) -> str:
    same = project / "elsewhere.toml"
    (project / ".kram" / "tools" / "deploy.toml").rename(same)
    (project / ".kram" / "tools" / "deploy.toml").symlink_to(same)
    return "~ .kram/tools/deploy.toml"


def add_configuration(project: Path) -> str:
    (project / ".kram" / "config.toml").write_text("")
    return "+ .kram/config.toml"


@pytest.mark.parametrize("act", [add, change, remove, replace_by_link, add_configuration])
def test_any_change_of_what_can_run_asks_again_and_names_it(
    store: TrustStore, project: Path, act: Callable[[Path], str]
) -> None:
    trust(store, project)
    expected = act(project)
    state = store.state(project)
    assert state.standing == "changed"
    assert state.changes == (expected,)
    trust(store, project)
    assert store.state(project).standing == "trusted"


def test_what_lies_behind_a_linked_folder_counts(store: TrustStore, project: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "run.toml").write_text("a")
    (project / ".kram" / "commands").symlink_to(outside)
    trust(store, project)
    assert store.state(project).standing == "trusted"
    (outside / "run.toml").write_text("b")
    assert store.state(project).changes == ("~ .kram/commands/run.toml",)


def test_ordinary_files_may_change(store: TrustStore, project: Path) -> None:
    trust(store, project)
    (project / "README.md").write_text("other")
    (project / ".kram" / "notes.txt").write_text("x")
    assert store.state(project).standing == "trusted"


def test_an_answer_counts_only_for_what_was_shown(store: TrustStore, project: Path) -> None:
    shown = store.state(project)
    change(project)
    with pytest.raises(UsageError, match="changed while you were asked"):
        store.answer(project, shown, trusted=True)
    assert store.state(project).standing == "new"


def test_the_key_is_the_real_path(store: TrustStore, project: Path, tmp_path: Path) -> None:
    trust(store, project)
    link = tmp_path / "link"
    link.symlink_to(project)
    assert store.state(link).standing == "trusted"
    copy = tmp_path / "copy"
    project.rename(copy)
    assert store.state(copy).standing == "new"


def test_folders_that_lead_in_circles_end(store: TrustStore, project: Path) -> None:
    (project / ".kram" / "skills").mkdir()
    (project / ".kram" / "skills" / "again").symlink_to(project / ".kram" / "skills")
    trust(store, project)
    assert store.state(project).standing == "trusted"


def pipe(project: Path) -> None:
    os.mkfifo(project / ".kram" / "permissions.toml")


def device(project: Path) -> None:
    (project / ".kram" / "lsp.toml").symlink_to("/dev/zero")


def dangling(project: Path) -> None:
    (project / ".kram" / "lsp.toml").symlink_to("nowhere")


def too_many(project: Path) -> None:
    for number in range(2100):
        (project / ".kram" / "tools" / f"{number}").touch()


@pytest.mark.parametrize("act", [pipe, device, dangling, too_many])
def test_what_cannot_be_looked_at_cannot_be_trusted(
    store: TrustStore, project: Path, act: Callable[[Path], None]
) -> None:
    act(project)
    state = store.state(project)
    assert state.standing == "new"
    assert state.problem
    with pytest.raises(UsageError):
        store.answer(project, state, trusted=True)


@pytest.mark.parametrize("content", ["", "version = 2\n", "[projects]\nx = 1\n", "no toml"])
def test_answers_that_cannot_be_read_are_no_answers(
    store: TrustStore, project: Path, tmp_path: Path, content: str
) -> None:
    trust(store, project)
    (tmp_path / "data" / "trust.toml").write_text(content)
    assert store.state(project).standing == "new"


def test_the_answers_are_the_owners_alone(store: TrustStore, project: Path, tmp_path: Path) -> None:
    trust(store, project)
    assert stat.S_IMODE((tmp_path / "data" / "trust.toml").stat().st_mode) == 0o600
    assert "version = 1" in (tmp_path / "data" / "trust.toml").read_text()


# --- what a person is shown ---------------------------------------------------------------------------------------------


def test_a_new_project_is_shown_file_by_file(store: TrustStore, project: Path) -> None:
    (project / "AGENTS.md").write_text("Be kind.")
    found = review(store, project, [project / "AGENTS.md"])
    assert found.open
    assert [item.name for item in found.items] == [".kram/tools/deploy.toml", ".mcp.json", "AGENTS.md"]
    assert "programs" in found.items[0].what
    assert found.items[0].text == "command = 'true'"
    assert found.items[2].text == "Be kind."


def test_a_project_that_brings_nothing_is_not_asked_about(store: TrustStore, tmp_path: Path) -> None:
    assert not review(store, tmp_path).open


def test_a_change_is_shown_line_by_line_and_first(store: TrustStore, project: Path) -> None:
    (project / ".kram" / "config.toml").write_text("theme = 'x'\n")
    trust(store, project)
    assert not review(store, project).open
    (project / ".mcp.json").write_text('{"evil": 1}')
    (project / ".kram" / "config.toml").unlink()
    (project / ".kram" / "tools" / "added.toml").write_text("command = 'x'")
    found = review(store, project)
    assert found.open
    shown = {item.name: item for item in found.items}
    assert [item.change for item in found.items if item.change] == [item.change for item in found.items][:3]
    assert "-{}" in shown[".mcp.json"].diff
    assert '+{"evil": 1}' in shown[".mcp.json"].diff
    assert (shown[".kram/config.toml"].change, shown[".kram/tools/added.toml"].change) == ("-", "+")
    assert "-theme = 'x'" in shown[".kram/config.toml"].diff
    assert shown[".kram/tools/deploy.toml"].diff == ""


def test_another_instruction_does_not_ask_again(store: TrustStore, project: Path) -> None:
    (project / "AGENTS.md").write_text("one")
    trust(store, project)
    (project / "AGENTS.md").write_text("two")
    assert not review(store, project, [project / "AGENTS.md"]).open


def test_copies_are_the_persons_own_and_go_with_the_answer(store: TrustStore, project: Path) -> None:
    folder = project.parent / "data" / "trusted"
    trust(store, project)
    assert len(list(folder.iterdir())) == 2
    for copy in folder.iterdir():
        assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    store.forget(project)
    assert not list(folder.iterdir())


def test_a_file_that_cannot_be_shown_says_so(store: TrustStore, project: Path) -> None:
    os.mkfifo(project / "AGENTS.md")
    (item,) = [one for one in review(store, project, [project / "AGENTS.md"]).items if one.name == "AGENTS.md"]
    assert "cannot be shown" in item.text
