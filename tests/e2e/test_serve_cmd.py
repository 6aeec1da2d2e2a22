"""`kram serve` as a program: what it prints, its token, its refusals, its end."""

from __future__ import annotations

import json
import re
import signal
import socket
import stat
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx
import pytest

from tests.support.program import Program

SCRIPT = {"text": "Hello.", "repeat": 0, "usage": {"input": 9, "output": 2}}


@pytest.fixture
def program(tmp_path: Path) -> Program:
    program = Program(tmp_path)
    script = tmp_path / "script.jsonl"
    script.write_text(f'{{"version": 1}}\n{json.dumps(SCRIPT)}\n', "utf-8")
    program.configure(
        f'[providers.s]\nkind = "script"\nscript = "{script}"\nkey_optional = true\n[providers.s.models."m"]\n'
    )
    return program


@contextmanager
def running(program: Program, *args: str) -> Iterator[tuple[subprocess.Popen[str], str, str]]:
    """The process, its address and the token it shows, once it answers."""
    process = program.start("serve", "--port", "0", *args)
    try:
        assert process.stdout is not None
        shown = ""
        while "Ctrl+C" not in shown:
            line = process.stdout.readline()
            assert line, process.communicate()[1]
            shown += line
        url = re.search(r"http://\S+(?=/v1)", shown)
        token = re.search(r"token +(\S+)", shown)
        assert url is not None
        assert token is not None
        yield process, url[0], token[1]
    finally:
        process.kill()
        process.communicate()


def ask(url: str, token: str) -> httpx.Response:
    body = {"model": "default", "messages": [{"role": "user", "content": "hi"}]}
    headers = {"Authorization": f"Bearer {token}"}
    return httpx.post(f"{url}/v1/chat/completions", json=body, headers=headers, trust_env=False, timeout=30)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_says_where_and_how_answers_and_ends_cleanly(program: Program, number: signal.Signals) -> None:
    with running(program, "-v") as (process, url, token):
        assert ask(url, token).json()["choices"][0]["message"]["content"] == "Hello."
        assert ask(url, "wrong").status_code == 401
        process.send_signal(number)
        out, err = process.communicate(timeout=20)
    assert process.returncode == 0
    assert "stopped after 2 requests" in out
    assert "default → s/m" in err
    assert "9 in, 2 out" in err
    assert "  401  " in err
    assert "Traceback" not in err
    assert token not in err


def test_the_token_is_made_once_and_is_the_owners_alone(program: Program) -> None:
    with running(program) as (_, _, first):
        pass
    kept = program.home / "kram" / "state" / "serve-token"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    with running(program) as (_, url, second):
        assert second == first
        assert ask(url, first).status_code == 200
    kept.chmod(0o644)
    done = program.run("serve", "--port", "0")
    assert done.code == 2
    assert str(kept) in done.err


def test_a_token_from_the_environment_is_not_shown(program: Program) -> None:
    program.env["KRAM_SERVE_TOKEN"] = "a-token-of-mine"
    with running(program) as (process, url, shown):
        assert shown == "the"
        assert ask(url, "a-token-of-mine").status_code == 200
        process.send_signal(signal.SIGINT)
        assert "a-token-of-mine" not in "".join(process.communicate(timeout=20))
    assert not (program.home / "kram" / "state" / "serve-token").exists()


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "example.org"])
def test_other_machines_need_a_token_that_was_given(program: Program, host: str) -> None:
    done = program.run("serve", "--port", "0", "--host", host)
    assert done.code == 2
    assert "--token" in done.err
    assert not done.out


def test_a_given_token_opens_another_address(program: Program) -> None:
    with running(program, "--host", "0.0.0.0", "--token", "a-token-of-mine") as (_, url, _):
        assert ask(url.replace("0.0.0.0", "127.0.0.1"), "a-token-of-mine").status_code == 200


@pytest.mark.parametrize("token", ["short", "has a space in it", "with-ümlaut-inside"])
def test_a_token_no_header_can_hold_is_refused(program: Program, token: str) -> None:
    done = program.run("serve", "--port", "0", "--token", token)
    assert done.code == 2
    assert token not in done.err


def test_a_taken_port_is_a_plain_error(program: Program) -> None:
    with running(program) as (_, url, _):
        done = program.run("serve", "--port", url.rpartition(":")[2])
    assert done.code == 2
    assert "--port" in done.err
    assert "Traceback" not in done.err


def test_an_unknown_model_is_told_at_the_start(program: Program) -> None:
    done = program.run("serve", "--port", "0", "-m", "nobody")
    assert done.code == 2
    assert "nobody" in done.err


def test_what_is_no_http_neither_ends_it_nor_prints_anything(program: Program) -> None:
    with running(program) as (process, url, token):
        host, _, port = url.removeprefix("http://").partition(":")
        for garbage in (b"\x16\x03\x01\x02\x00", b"GET / HTTP/9.9\r\n\r\n", b"A" * 300_000):
            with socket.create_connection((host, int(port)), timeout=20) as sock, suppress(ConnectionError):
                sock.sendall(garbage)
                sock.shutdown(socket.SHUT_WR)
                while sock.recv(4096):
                    pass
        assert ask(url, token).status_code == 200
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=20)
    assert err == ""


def test_what_was_measured_is_there_in_the_next_run(program: Program) -> None:
    with running(program) as (process, url, token):
        ask(url, token)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=20)
    with running(program) as (_, url, token):
        headers = {"Authorization": f"Bearer {token}"}
        status = httpx.get(f"{url}/admin/status", headers=headers, trust_env=False).json()
    assert status["telemetry"]["s/m"]["requests"] == 1
