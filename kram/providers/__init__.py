"""Doors to models. Heavy adapters are imported by whoever opens one."""

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
    from_status,
    from_text,
)
from .provider import BodyReader, Provider, StreamReader
from .registry import open_provider
from .sse import EventTooLong, ServerEvent, SseDecoder

__all__ = [
    "AuthFailed",
    "BodyReader",
    "ContentRejected",
    "ContextOverflow",
    "EventTooLong",
    "Incomplete",
    "InvalidRequest",
    "ModelMissing",
    "NetworkFailed",
    "PromptBlocked",
    "Provider",
    "ProviderError",
    "RateLimited",
    "ServerEvent",
    "ServerFailed",
    "SseDecoder",
    "StreamReader",
    "TimedOut",
    "from_status",
    "from_text",
    "open_provider",
]
