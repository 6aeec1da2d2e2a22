"""Doors to models. Heavy adapters are imported by whoever opens one."""

from .compat import QUIRKS, default_quirks, quirks_of
from .embedded import available as embedded_problem
from .embedded import embedded_model
from .errors import (
    AuthFailed,
    ContentRejected,
    ContextOverflow,
    Incomplete,
    InvalidRequest,
    ModelMissing,
    NetworkFailed,
    PromptBlocked,
    ProviderError,
    RateLimited,
    ServerFailed,
    TimedOut,
    TlsFailed,
    from_status,
    from_text,
)
from .live import Listing, Opener, list_live, nearby
from .provider import BodyReader, Provider, StreamReader, TokenCounter
from .rate_limit import Limiter, limiter_for
from .registry import open_provider
from .script_format import Script, Step, dump_jsonl, load_script, parse_script
from .scripted import ScriptedProvider
from .sse import EventTooLong, ServerEvent, SseDecoder
from .trial import Trial, try_model

__all__ = [
    "QUIRKS",
    "AuthFailed",
    "BodyReader",
    "ContentRejected",
    "ContextOverflow",
    "EventTooLong",
    "Incomplete",
    "InvalidRequest",
    "Limiter",
    "Listing",
    "ModelMissing",
    "NetworkFailed",
    "Opener",
    "PromptBlocked",
    "Provider",
    "ProviderError",
    "RateLimited",
    "Script",
    "ScriptedProvider",
    "ServerEvent",
    "ServerFailed",
    "SseDecoder",
    "Step",
    "StreamReader",
    "TimedOut",
    "TlsFailed",
    "TokenCounter",
    "Trial",
    "default_quirks",
    "dump_jsonl",
    "embedded_model",
    "embedded_problem",
    "from_status",
    "from_text",
    "limiter_for",
    "list_live",
    "load_script",
    "nearby",
    "open_provider",
    "parse_script",
    "quirks_of",
    "try_model",
]
