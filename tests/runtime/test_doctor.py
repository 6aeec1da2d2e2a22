"""The doctor's checks on real folders, servers, programs and stores: each fault is named with what helps."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from kram.base import SystemClock
from kram.config import ModelSettings, Profile, keep_profile
from kram.runtime.doctor import Finding, State, told, worst
from kram.runtime.doctor.examine import FAMILIES, examine
from kram.runtime.doctor.scene import Scene, scene_of
from kram.runtime.doctor.terminal_checks import characters, kind, size
from kram.sessions import Store
from tests.support.opened import opened
from tests.support.page_server import Refusal, serving

KEY = "sk-canary-0123456789abcdef"


class House:
    """A home and a workspace."""

    def __init__(self, folder: Path) -> None:
        self.home, self.workspace = folder / "home", folder / "ws"
        self.config = self.home / "config"
        self.config.mkdir(parents=True)
        self.workspace.mkdir()
        self.env = {"KRAM_HOME": str(self.home), "PATH": os.environ["PATH"], "TERM": "xterm-256color"}

    def write(self, name: str, text: str, mode: int = 0o600) -> None:
        path = self.config / name
        path.write_text(text)
        path.chmod(mode)

    async def found(self, *families: str) -> list[Finding]:
        scene = await scene_of(self.workspace, self.env, SystemClock())
        return await examine(scene, {name: FAMILIES[name] for name in families} if families else None)

    async def one(self, family: str, name: str) -> Finding:
        (found,) = [one for one in await self.found(family) if one.name == name]
        return found


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path)


def states(findings: Sequence[Finding]) -> dict[str, State]:
    return {one.name: one.state for one in findings}


# --- configuration and keys -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["themee = 'x'", "theme = ", "theme = 3", "default_combo = 'none'"])
async def test_a_configuration_that_cannot_be_used_is_named_and_the_rest_is_still_checked(
    house: House, text: str
) -> None:
    house.write("config.toml", text)
    findings = await house.found("configuration", "providers", "storage")
    broken = findings[0]
    assert broken.state == "problem"
    assert "config.toml" in broken.name or "default_combo" in broken.text
    assert states(findings)["accounts"] == "skipped"
    assert states(findings)["disk"] in ("ok", "warning")
    assert worst(findings) == "problem"


async def test_without_any_configuration_everything_has_its_default(house: House) -> None:
    assert states(await house.found("configuration")) == {"config.toml": "ok", "permissions": "ok"}


async def test_rules_that_cannot_be_read_and_a_project_that_is_not_trusted(house: House) -> None:
    house.write("permissions.toml", "version = 99")
    (house.workspace / ".kram").mkdir()
    (house.workspace / ".kram" / "config.toml").write_text("theme = 'kram-light'")
    found = states(await house.found("configuration"))
    assert (found["permissions"], found[".kram/config.toml"]) == ("problem", "warning")


async def test_keys_are_told_by_where_they_are_and_never_shown(house: House) -> None:
    house.write(
        "config.toml", '[providers.anthropic]\n[providers.mine]\nkind = "openai-chat"\napi_key_env = "NOT_THERE"'
    )
    house.write("credentials.toml", f'version = 1\n[keys]\nopenrouter = "{KEY}"')
    house.env["ANTHROPIC_API_KEY"] = KEY
    findings = await house.found("credentials")
    found = {one.name: one for one in findings}
    assert "$ANTHROPIC_API_KEY" in found["anthropic"].text
    assert (found["openrouter"].state, found["openrouter"].text) == ("ok", "its key is there (stored)")
    assert (found["mine"].state, "NOT_THERE" in found["mine"].todo) == ("warning", True)
    assert found["credentials.toml"].state == "ok"
    assert "canary" not in str(findings)


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604])
async def test_credentials_that_others_can_read(house: House, mode: int) -> None:
    house.write("credentials.toml", f'version = 1\n[keys]\nopenrouter = "{KEY}"', mode)
    findings = await house.found("configuration", "credentials")
    assert any("chmod 600" in one.todo for one in findings if one.state == "problem")
    assert "canary" not in str(findings)


async def test_a_profile_of_another_address(house: House) -> None:
    house.write(
        "config.toml", '[providers.mine]\nkind = "openai-chat"\nbase_url = "http://127.0.0.1:9/v1"\nkey_optional = true'
    )
    facts = ModelSettings(context_window=1)
    keep_profile(
        house.home / "data", "mine/m", Profile(at="", kind="openai-chat", base_url="http://127.0.0.1:9/v1", facts=facts)
    )
    assert (await house.one("configuration", "profiles")).state == "ok"
    keep_profile(
        house.home / "data", "mine/m", Profile(at="", kind="openai-chat", base_url="http://other/v1", facts=facts)
    )
    stale = await house.one("configuration", "profiles")
    assert (stale.state, stale.todo) == ("warning", "kram doctor probe mine/m")


# --- providers --------------------------------------------------------------------------------------------------------------

LISTED = {"/v1/models": {"data": [{"id": "m"}]}}


def account(name: str, url: str) -> str:
    return f'[providers.{name}]\nkind = "openai-chat"\nbase_url = "{url}/v1"\nkey_optional = true\n'


async def test_every_account_is_asked_and_the_combo_needs_one_that_answers(house: House) -> None:
    async with serving(LISTED) as good, serving({"/v1/models": Refusal(401)}) as bad:
        accounts = account("good", good.url) + account("bad", bad.url) + account("gone", "http://127.0.0.1:9")
        house.write("config.toml", accounts + '[combos.default]\ncandidates = ["good/m", "bad/m", "gone/m"]')
        findings = {one.name: one for one in await house.found("providers")}
        assert findings["good"].state == "ok"
        assert (findings["bad"].state, findings["bad"].text) == ("problem", "invalid key")
        assert findings["gone"].todo == "Start the server at http://127.0.0.1:9/v1"
        assert (findings["combo default"].state, findings["combo default"].text) == (
            "warning",
            "1 of 3 candidates can answer",
        )
        house.write("config.toml", accounts + '[combos.default]\ncandidates = ["bad/m", "gone/m"]')
        assert (await house.one("providers", "combo default")).state == "problem"


# --- terminal -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("env", "state", "words"),
    [
        ({"TERM": "xterm-256color", "COLORTERM": "truecolor"}, "ok", "16 million"),
        ({"TERM": "tmux-256color", "TMUX": "x"}, "ok", "inside tmux, 256"),
        ({"TERM": "xterm"}, "warning", "16 colours"),
        ({"TERM": "xterm", "NO_COLOR": "1"}, "ok", "without colours"),
        ({"TERM": "dumb"}, "problem", "dumb"),
        ({}, "problem", "not set"),
    ],
)
def test_what_the_terminal_says_of_itself(env: dict[str, str], state: State, words: str) -> None:
    found = kind(env)
    assert (found.state, words in found.text) == (state, True)


@pytest.mark.parametrize(("encoding", "state"), [("UTF-8", "ok"), ("utf8", "ok"), ("ANSI_X3.4-1968", "warning")])
def test_its_characters(encoding: str, state: State) -> None:
    found = characters({"LANG": "de_DE"}, encoding)
    assert (found.state, "LANG=de_DE" in found.text) == (state, True)


@pytest.mark.parametrize(
    ("wide", "high", "state"), [(120, 40, "ok"), (60, 16, "ok"), (59, 16, "warning"), (80, 10, "warning")]
)
def test_its_size(wide: int, high: int, state: State) -> None:
    assert size(wide, high).state == state


# --- programs -----------------------------------------------------------------------------------------------------------------


def program(folder: Path, name: str, script: str) -> None:
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


async def test_programs_that_are_there_missing_or_broken(house: House, tmp_path: Path) -> None:
    programs = tmp_path / "bin"
    program(programs, "git", "echo git version 9.9; echo more")
    program(programs, "bwrap", "echo no permission >&2; exit 1")
    house.env["PATH"] = str(programs)
    house.env["EDITOR"] = "editor-that-is-not-there -w"
    found = {one.name: one for one in await house.found("programs")}
    assert (found["git"].state, "git version 9.9" in found["git"].text) == ("ok", True)
    assert (found["rg"].state, found["rg"].todo) == ("warning", "Install ripgrep")
    assert (found["sandbox"].state, "no permission" in found["sandbox"].text) == ("warning", True)
    assert found["editor"].state == "warning"
    program(programs, "git", "exit 3")
    program(programs, "bwrap", "exit 0")
    found = {one.name: one for one in await house.found("programs")}
    assert (found["git"].state, found["sandbox"].state) == ("problem", "ok")


# --- storage ------------------------------------------------------------------------------------------------------------------


@pytest.fixture
def store(house: House) -> Path:
    path = house.home / "data" / "kram.db"
    with Store.open(path, SystemClock()) as made:
        for number in range(200):
            made.create(house.workspace, f"session {number} " + "x" * 500)
    return path


async def test_a_store_that_is_whole_says_what_is_in_it(house: House, store: Path) -> None:
    found = await house.one("storage", "store")
    assert (found.state, "200 sessions" in found.text) == ("ok", True)


async def test_a_store_with_damage_in_the_middle(house: House, store: Path) -> None:
    with store.open("r+b") as file:
        file.seek(store.stat().st_size // 2)
        file.write(os.urandom(8_192))
    before = store.read_bytes()
    found = await house.one("storage", "store")
    assert (found.state, "damaged" in found.text) == ("problem", True)
    assert store.read_bytes() == before


async def test_a_store_that_is_none_or_newer(house: House, store: Path) -> None:
    with closing(sqlite3.connect(store)) as connection:
        connection.execute("PRAGMA user_version = 999")
    found = await house.one("storage", "store")
    assert (found.state, "Update kram" in found.todo) == ("problem", True)
    store.write_bytes(b"not a database at all" * 100)
    assert (await house.one("storage", "store")).state == "problem"
    shutil.rmtree(store.parent)
    assert (await house.one("storage", "store")).state == "skipped"


async def test_folders_that_others_can_read(house: House, store: Path) -> None:
    assert (await house.one("storage", "permissions")).state == "ok"
    store.parent.chmod(0o755)
    store.chmod(0o644)
    found = await house.one("storage", "permissions")
    assert (found.state, str(store) in found.text, "chmod" in found.todo) == ("problem", True, True)


# --- the whole ----------------------------------------------------------------------------------------------------------------


async def test_a_check_that_fails_itself_is_a_finding_and_costs_no_other(house: House) -> None:
    async def broken(scene: Scene) -> list[Finding]:
        raise RuntimeError(str(scene.workspace))

    scene = await scene_of(house.workspace, house.env, SystemClock())
    findings = await examine(scene, {"odd": broken, "programs": FAMILIES["programs"]})
    assert (findings[0].family, findings[0].state) == ("odd", "problem")
    assert "python" in states(findings)


def test_the_whole_in_words() -> None:
    rows = [
        Finding(family="a", name="one", state="ok", text="fine"),
        Finding(family="b", name="two", state="problem", text="broken", todo="mend it"),
        Finding(family="b", name="three", state="warning", text="slow"),
    ]
    assert told(rows).splitlines() == [
        "a",
        "  ✓ one: fine",
        "",
        "b",
        "  ✕ two: broken → mend it",
        "  ! three: slow",
        "",
        "1 problem, 1 warning",
    ]
    assert told(rows[:1]).endswith("Everything is in order.")
    assert [worst(rows), worst(rows[2:]), worst([])] == ["problem", "warning", "ok"]


async def test_in_a_session(tmp_path: Path) -> None:
    async with opened(tmp_path, '[[steps]]\ntext = "hi"') as (runtime, _):
        findings = await runtime.examine(on_screen=True)
        assert {one.family for one in findings} == set(FAMILIES)
        assert "mode" not in states(findings)
        assert "storage" in await runtime.commands["doctor"].run(runtime, "")
