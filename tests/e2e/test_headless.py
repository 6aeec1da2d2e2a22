"""`kram -p` as a script uses it: four protocols, JSON, permissions, exit codes, sessions."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest

from tests.support.byte_server import HOLD, ByteServer, answer, event, head
from tests.support.program import Program
from tests.support.strict import assert_acceptable
from tests.support.vendor import PROTOCOLS, answered, base_url


@pytest.fixture
def program(tmp_path: Path) -> Program:
    return Program(tmp_path)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_tool_round_trip_over_each_protocol(program: Program, protocol: str) -> None:
    (program.workspace / "a.txt").write_text("the word is heron\n")
    scripts = [
        answered(protocol, "I look.", [("read_file", {"path": "a.txt"}), ("list_dir", {})]),
        answered(protocol, "It says heron.", number=1),
    ]
    with ByteServer(scripts) as server:
        program.serve(protocol, base_url(protocol, server.url))
        done = program.run("-p", "what does a.txt say?", "--output-format", "json")
    assert done.code == 0, done.err
    result = done.object()
    assert (result["type"], result["subtype"], result["text"]) == ("result", "success", "It says heron.")
    assert result["model_calls"] == 2
    assert [(call["name"], call["ok"]) for call in result["tool_calls"]] == [("read_file", True), ("list_dir", True)]
    assert result["usage"]["input"] == 250
    assert result["usage"]["cache_read"] == 40
    assert result["usage"]["output"] == 60
    assert result["route"][0]["winner"] == "srv/m"
    bodies = [request.json() for request in server.requests]
    assert len(bodies) == 2
    for body in bodies:
        assert_acceptable(protocol, body)
    assert "heron" in json.dumps(bodies[1])


def test_text_goes_to_stdout_and_everything_else_to_stderr(program: Program) -> None:
    with ByteServer([answered("openai-chat", "Forty-two.")]) as server:
        program.serve("openai-chat", base_url("openai-chat", server.url))
        done = program.run("-p", stdin="the question")
    assert (done.code, done.out) == (0, "Forty-two.\n")
    assert "the question" in json.dumps(server.requests[0].json())


def test_stream_json_is_one_object_a_line_with_its_place(program: Program) -> None:
    (program.workspace / "a.txt").write_text("x\n")
    scripts = [
        answered("anthropic", "Reading.", [("read_file", {"path": "a.txt"})]),
        answered("anthropic", "Done.", number=1),
    ]
    with ByteServer(scripts) as server:
        program.serve("anthropic", server.url)
        done = program.run("-p", "go", "--output-format", "stream-json", "--include-partial-messages")
    lines = done.lines()
    assert lines[0]["type"] == "session"
    assert {"session_id", "workspace", "model", "tools", "permission_mode"} <= set(lines[0])
    assert lines[-1]["type"] == "result"
    events = lines[1:-1]
    assert [one["seq"] for one in events] == list(range(1, len(events) + 1))
    assert all(one["turn"] == 1 and one["at"].endswith("Z") for one in events)
    kinds = [one["type"] for one in events]
    for kind in ("segment", "context", "route_start", "route_attempt", "route_done", "delta", "assistant"):
        assert kind in kinds
    assert kinds.index("tool_start") < kinds.index("tool_result")
    assert "".join(one["text"] for one in events if one["type"] == "delta") == "Reading.Done."


def test_a_call_that_would_ask_is_denied_and_says_so(program: Program) -> None:
    scripts = [
        answered("openai-chat", "", [("bash", {"command": "touch made"})]),
        answered("openai-chat", "I could not.", number=1),
    ]
    with ByteServer(scripts) as server:
        program.serve("openai-chat", base_url("openai-chat", server.url))
        done = program.run("-p", "make a file", "--output-format", "json")
    assert done.code == 3
    assert done.object()["subtype"] == "denied"
    assert not (program.workspace / "made").exists()
    assert "not permitted" in json.dumps(server.requests[1].json()).lower()


@pytest.mark.parametrize("grant", [["--allow", "bash(touch *)"], ["--permission-mode", "auto"]])
def test_a_rule_or_a_mode_lets_it_run(program: Program, grant: list[str]) -> None:
    scripts = [
        answered("openai-chat", "", [("bash", {"command": "touch made"})]),
        answered("openai-chat", "Made.", number=1),
    ]
    with ByteServer(scripts) as server:
        program.serve("openai-chat", base_url("openai-chat", server.url))
        done = program.run("-p", "make a file", *grant)
    assert done.code == 0, done.err
    assert (program.workspace / "made").exists()


def test_a_deny_rule_beats_the_mode(program: Program) -> None:
    scripts = [
        answered("openai-chat", "", [("bash", {"command": "touch made"})]),
        answered("openai-chat", "No.", number=1),
    ]
    with ByteServer(scripts) as server:
        program.serve("openai-chat", base_url("openai-chat", server.url))
        done = program.run("-p", "x", "--permission-mode", "auto", "--deny", "bash(touch *)")
    assert done.code == 3
    assert not (program.workspace / "made").exists()


def test_the_last_allowed_call_lands_softly(program: Program) -> None:
    (program.workspace / "a.txt").write_text("x\n")
    reading = answered("openai-chat", "", [("read_file", {"path": "a.txt"})])
    with ByteServer([reading, answered("openai-chat", "So far so good.", number=1)]) as server:
        program.serve("openai-chat", base_url("openai-chat", server.url))
        done = program.run("-p", "x", "--max-turns", "2", "--output-format", "json")
    result = done.object()
    assert (done.code, result["subtype"], result["text"]) == (1, "budget", "So far so good.")
    assert server.requests[-1].json().get("tool_choice") == "none"


def test_a_broken_provider_fails_the_run_with_its_words_once(program: Program) -> None:
    with ByteServer([[answer({"error": {"message": "model is on holiday"}}, status=400)]]) as server:
        program.serve("openai-chat", base_url("openai-chat", server.url))
        done = program.run("-p", "x", "--output-format", "json")
    assert done.code == 1
    assert done.object()["subtype"] == "error"
    assert "on holiday" in done.object()["error"]
    assert "Traceback" not in done.err


def test_no_usable_model_is_exit_code_four(program: Program) -> None:
    with ByteServer([[answer({"error": {"message": "bad key"}}, status=401)]]) as server:
        program.serve("openai-chat", base_url("openai-chat", server.url))
        done = program.run("-p", "x")
    assert done.code == 4
    assert done.out == ""


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["-p", "x", "-C", "/no/such/place"], "No such directory"),
        (["-p", "x", "--allow", "bash("], "bash("),
        (["-p"], "No prompt"),
        (["-p", "x", "-c", "--fork", "ses_1"], "exclude each other"),
        (["-p", "x", "-r", "ses_0000000000000000"], "ses_0000000000000000"),
        (["-p", "x", "--model", "nobody/none"], "nobody"),
    ],
)
def test_wrong_usage_is_exit_code_two_in_one_line(program: Program, args: list[str], words: str) -> None:
    program.serve("openai-chat", "http://127.0.0.1:9/v1")
    done = program.run(*args)
    assert done.code == 2, done.err
    assert words in done.err
    assert "Traceback" not in done.err
    assert done.out == ""


def test_an_unknown_key_in_the_configuration_names_file_key_and_the_closest(program: Program) -> None:
    program.configure('default_combi = "x"\n')
    done = program.run("-p", "x")
    assert done.code == 2
    assert "config.toml" in done.err
    assert "default_combi" in done.err
    assert "default_combo" in done.err


def test_without_a_terminal_kram_names_the_headless_way(program: Program) -> None:
    done = program.run("hello")
    assert done.code == 2
    assert "kram -p" in done.err
    assert len(done.err.splitlines()) == 1


def test_a_session_goes_on_where_it_stopped(program: Program) -> None:
    scripts = [answered("anthropic", "Noted."), answered("anthropic", "Heron.", number=1)]
    with ByteServer(scripts) as server:
        program.serve("anthropic", server.url)
        first = program.run("-p", "the word is heron", "--output-format", "json").object()
        second = program.run("-p", "which word?", "-c", "--output-format", "json").object()
    assert second["session_id"] == first["session_id"]
    said = [message["role"] for message in server.requests[1].json()["messages"]]
    assert said == ["user", "assistant", "user"]


def test_an_interrupt_ends_with_130_and_leaves_a_valid_session(program: Program) -> None:
    start = head() + event({"choices": [{"index": 0, "delta": {"content": "Half an"}, "finish_reason": None}]})
    with ByteServer([[start, HOLD], answered("openai-chat", "Whole.")]) as server:
        program.serve("openai-chat", base_url("openai-chat", server.url))
        running = program.start("-p", "x", "--output-format", "stream-json", "--include-partial-messages")
        assert running.stdout is not None
        for line in running.stdout:
            if json.loads(line)["type"] == "delta":
                break
        running.send_signal(signal.SIGINT)
        rest, err = running.communicate(timeout=30)
        assert running.returncode == 130, err
        assert json.loads(rest.splitlines()[-1])["subtype"] == "interrupted"
        again = program.run("-p", "y", "-c")
    assert again.out == "Whole.\n"
    assert_acceptable("openai-chat", server.requests[1].json())


def test_an_answer_bound_to_a_schema_is_asked_for_again_until_it_fits(program: Program) -> None:
    schema = program.folder / "schema.json"
    schema.write_text(json.dumps({"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}}))
    scripts = [answered("openai-chat", '{"n": "one"}'), answered("openai-chat", '```json\n{"n": 1}\n```')]
    with ByteServer(scripts) as server:
        program.serve("openai-chat", base_url("openai-chat", server.url))
        done = program.run("-p", "count", "--json-schema", str(schema))
    assert (done.code, done.out.strip()) == (0, '{"n": 1}')


def test_headless_never_loads_the_interface(program: Program) -> None:
    with ByteServer([answered("openai-chat", "x")]) as server:
        program.serve("openai-chat", base_url("openai-chat", server.url))
        program.env["PYTHONPROFILEIMPORTTIME"] = "1"
        done = program.run("-p", "x")
    assert done.code == 0
    assert "httpx" in done.err
    assert "textual" not in done.err
