"""Stored keys: in the keyring where it keeps them, else in a file of the owner alone, and never shown."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from kram.base import UsageError
from kram.config import forget_key, keep_key, stored_key

KEY = "canary-9a8b7c6d5e4f"


class MemoryRing:
    def __init__(self) -> None:
        self.kept: dict[tuple[str, str], str] = {}
        self.asked = 0

    def get_password(self, service: str, username: str, /) -> str | None:
        self.asked += 1
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str, /) -> None:
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str, /) -> None:
        del self.kept[service, username]


class ForgetfulRing(MemoryRing):
    """Like a null backend: takes everything, keeps nothing."""

    def set_password(self, service: str, username: str, password: str, /) -> None:
        pass


class BrokenRing(MemoryRing):
    def set_password(self, service: str, username: str, password: str, /) -> None:
        raise RuntimeError(f"no bus for {password}")

    def get_password(self, service: str, username: str, /) -> str | None:
        raise OSError("no bus")


def test_a_keyring_keeps_the_key_and_the_file_only_says_so(tmp_path: Path) -> None:
    ring = MemoryRing()
    assert keep_key(tmp_path, "anthropic", f" {KEY}\n", keyring=ring) == "keyring"
    assert KEY not in (tmp_path / "credentials.toml").read_text()
    assert stored_key(tmp_path, "anthropic", keyring=ring) == (KEY, "keyring")
    asked = ring.asked
    assert stored_key(tmp_path, "openai", keyring=ring) == ("", "")
    assert ring.asked == asked, "a keyring is asked only for what it keeps"


@pytest.mark.parametrize("ring", [ForgetfulRing(), BrokenRing()])
def test_without_a_keyring_that_keeps_it_the_key_is_in_a_file_of_the_owner(tmp_path: Path, ring: MemoryRing) -> None:
    path = tmp_path / "config" / "credentials.toml"
    assert keep_key(path.parent, "anthropic", KEY, keyring=ring) == str(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stored_key(path.parent, "anthropic", keyring=ring) == (KEY, str(path))
    assert "version = 1" in path.read_text()


def test_a_key_lies_in_one_place_only(tmp_path: Path) -> None:
    ring = MemoryRing()
    keep_key(tmp_path, "a", "old-key-in-file", keyring=ForgetfulRing())
    keep_key(tmp_path, "b", "another-key", keyring=ForgetfulRing())
    keep_key(tmp_path, "a", KEY, keyring=ring)
    assert "old-key-in-file" not in (tmp_path / "credentials.toml").read_text()
    assert stored_key(tmp_path, "a", keyring=ring) == (KEY, "keyring")
    assert stored_key(tmp_path, "b", keyring=ring)[0] == "another-key"


@pytest.mark.parametrize("ring", [MemoryRing(), ForgetfulRing()])
def test_a_forgotten_key_is_gone(tmp_path: Path, ring: MemoryRing) -> None:
    keep_key(tmp_path, "a", KEY, keyring=ring)
    assert forget_key(tmp_path, "a", keyring=ring)
    assert stored_key(tmp_path, "a", keyring=ring) == ("", "")
    assert not forget_key(tmp_path, "a", keyring=ring)
    assert ring.kept == {}


def test_a_broken_keyring_costs_its_keys_and_nothing_else(tmp_path: Path) -> None:
    keep_key(tmp_path, "a", KEY, keyring=MemoryRing())
    assert stored_key(tmp_path, "a", keyring=BrokenRing()) == ("", "")


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o644])
def test_a_file_that_others_can_read_is_refused_with_the_command_that_helps(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "credentials.toml"
    keep_key(tmp_path, "a", KEY, keyring=ForgetfulRing())
    path.chmod(mode)
    with pytest.raises(UsageError, match=f"chmod 600 {path}"):
        stored_key(tmp_path, "a")


@pytest.mark.parametrize(
    "content", [f'[keys]\na = "{KEY}\n', f'[keys]\na = ["{KEY}"]\n', f'[key]\na = "{KEY}"\n', f'version = "{KEY}"\n']
)
def test_an_error_in_the_file_is_told_without_its_content(tmp_path: Path, content: str) -> None:
    path = tmp_path / "credentials.toml"
    path.write_text(content)
    path.chmod(0o600)
    with pytest.raises(UsageError, match=r"credentials\.toml") as caught:
        stored_key(tmp_path, "a")
    assert KEY not in caught.value.text()
    assert caught.value.__cause__ is None


def test_an_unknown_table_is_named_with_the_closest(tmp_path: Path) -> None:
    path = tmp_path / "credentials.toml"
    path.write_text("[key]\n")
    path.chmod(0o600)
    with pytest.raises(UsageError, match="'keys'"):
        stored_key(tmp_path, "a")
