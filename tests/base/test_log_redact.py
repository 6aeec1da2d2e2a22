"""The log is a file of its owner, never the terminal, and never holds a secret."""

from __future__ import annotations

import logging
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from kram.base import AppPaths, Redactor, app_paths, quiet_log, start_log

ROOT = Path(__file__).resolve().parents[2]
KEY = "canary-77d1c0ffee5a"

SHAPES = [
    "sk-ant-api03-" + "Ab1_" * 20,
    "sk-or-v1-" + "0f" * 32,
    "sk-proj-" + "aB3-" * 12,
    "sk-" + "aB3d" * 12,
    "AIza" + "Sy" * 17 + "x",
    "ya29.a0" + "Af" * 20,
    "ghp_" + "aB3" * 12,
    "github_pat_" + "a1B2" * 18,
    "glpat-" + "aB3d" * 5,
    "xoxb-" + "123-" * 6,
    "AKIAIOSFODNN7EXAMPLE",
    "ASIAIOSFODNN7EXAMPLE",
    "gsk_" + "aB3d" * 13,
    "hf_" + "aB3d" * 9,
    "xai-" + "aB3d" * 20,
    "csk-" + "aB3d" * 12,
    "sk_live_" + "aB3d" * 6,
    "npm_" + "aB3" * 12,
    "pypi-" + "AgEI" * 20,
]


@pytest.fixture(autouse=True)
def no_log_afterwards() -> object:
    yield
    quiet_log()


@pytest.mark.parametrize("secret", SHAPES, ids=lambda secret: secret[:8])
@pytest.mark.parametrize("around", ["{}", 'key="{}"', "a {} b", "({})", "KEY={}\n", "Bearer {}"])
def test_keys_are_known_by_their_shape(secret: str, around: str) -> None:
    redacted = Redactor().redact(around.format(secret))
    assert redacted == around.format("[redacted]")
    assert Redactor().redact(redacted) == redacted


def test_a_private_key_goes_whole_also_where_its_end_is_cut_off() -> None:
    begin, end = "-----BEGIN OPENSSH PRIVATE KEY-----", "-----END OPENSSH PRIVATE KEY-----"
    assert Redactor().redact(f"a\n{begin}\nb3Bl\nbnNz\n{end}\nc") == "a\n[redacted]\nc"
    assert Redactor().redact(f"a\n{begin}\nb3Bl\nbnNz") == "a\n[redacted]"


@pytest.mark.parametrize(
    "text",
    ["https://me:s3cr3t-pw@host/x", "postgres://app:s3cr3t-pw@db:5432/x", "socks5://u:s3cr3t-pw@127.0.0.1:1"],
)
def test_a_password_in_an_address_goes_and_the_address_stays(text: str) -> None:
    redacted = Redactor().redact(text)
    assert "s3cr3t-pw" not in redacted
    assert redacted.partition("://")[0] == text.partition("://")[0]
    assert redacted.endswith(text.partition("@")[2])


@pytest.mark.parametrize(
    "text",
    [
        "sk-learn and task-runner-with-a-very-long-hyphenated-name-indeed",
        "see https://example.org/a@b and mail me@example.org",
        "http://localhost:8000/v1",
        "AKIA is a prefix, npm_config_registry a variable",
        "ghp_short hf_model_name",
        "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
    ],
)
def test_ordinary_text_stays(text: str) -> None:
    assert Redactor(["x", "short", ""]).redact(text) == text


def test_registered_values_go_wherever_they_stand_the_longest_first() -> None:
    redactor = Redactor(["canary-aaaa", "canary-aaaa-longer"])
    redactor.add(f" {KEY}\n", "tiny")
    assert (
        redactor.redact(f"1 canary-aaaa-longer 2 canary-aaaa 3{KEY}4 tiny")
        == "1 [redacted] 2 [redacted] 3[redacted]4 tiny"
    )
    assert KEY not in repr(redactor)


# --- the log ------------------------------------------------------------------------------------------------------------


def lines(path: Path) -> str:
    for handler in logging.getLogger("kram").handlers:
        handler.flush()
    return path.read_text("utf-8")


def test_messages_arguments_and_tracebacks_are_without_secrets(tmp_path: Path) -> None:
    path = start_log(tmp_path, Redactor([KEY]))
    log = logging.getLogger("kram.somewhere")
    log.info("plain %s", KEY)
    log.warning("%r", {"headers": {"authorization": f"Bearer {KEY}"}, "other": SHAPES[0]})
    try:
        raise ValueError(f"refused {KEY}")
    except ValueError:
        log.exception("failed")
    text = lines(path)
    assert "plain [redacted]" in text
    assert "ValueError: refused [redacted]" in text
    assert KEY not in text
    assert SHAPES[0] not in text


def test_the_log_is_its_owners_alone_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        path = start_log(tmp_path, Redactor())
        logging.getLogger("kram").info("x")
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_the_log_does_not_grow_for_ever(tmp_path: Path) -> None:
    path = start_log(tmp_path, Redactor())
    log = logging.getLogger("kram")
    for _ in range(100):
        log.info("x" * 100_000)
    assert sum(file.stat().st_size for file in path.parent.iterdir()) < 7_000_000
    assert len(list(path.parent.iterdir())) <= 3


def test_a_log_through_a_link_is_not_written(tmp_path: Path) -> None:
    (tmp_path / "log").mkdir()
    target = tmp_path / "theirs"
    target.write_text("theirs")
    (tmp_path / "log" / "kram.log").symlink_to(target)
    start_log(tmp_path, Redactor())
    logging.getLogger("kram").error("x")
    assert target.read_text() == "theirs"


@pytest.mark.parametrize(
    "case",
    [
        "start_log(pathlib.Path('/dev/null/x'), Redactor())",
        "start_log(pathlib.Path('/dev'), Redactor())",
        "quiet_log()",
    ],
)
def test_nothing_about_the_log_ever_reaches_the_terminal(case: str) -> None:
    code = (
        "import logging, pathlib, resource; from kram.base import Redactor, quiet_log, start_log\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))\n"
        f"{case}\n"
        "log = logging.getLogger('kram.x')\n"
        "log.error('one'); log.error('%d', 'no number')\n"
        "try: 1 / 0\n"
        "except ZeroDivisionError: log.exception('two')"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


# --- folders ------------------------------------------------------------------------------------------------------------


def test_one_variable_moves_all_folders_and_each_may_be_moved_alone(tmp_path: Path) -> None:
    home = tmp_path / "home"
    assert app_paths({"KRAM_HOME": str(home)}) == AppPaths(
        config=home / "config", data=home / "data", state=home / "state", cache=home / "cache"
    )
    moved = app_paths({"KRAM_HOME": str(home), "KRAM_DATA_DIR": "/d"})
    assert (moved.data, moved.state) == (Path("/d"), home / "state")
    assert not home.exists()


def test_folders_are_absolute_whatever_was_given() -> None:
    for env in ({}, {"KRAM_HOME": "here"}, {"KRAM_HOME": "~/k"}, {"KRAM_CONFIG_DIR": "c", "KRAM_HOME": "h"}):
        paths = app_paths(env)
        assert all(folder.is_absolute() for folder in (paths.config, paths.data, paths.state, paths.cache))
        assert "~" not in str(paths.config)
