"""Names that Gemini leaves to its caller: ids of calls that came without one, and whose signature a signature is.

A thought signature is stored as `gemini:` and the provider's text, so that another vendor's proof is never sent here.
"""

from __future__ import annotations

from kram.base import new_id

_SIGNATURE = "gemini:"
_CALL = "call_gemini_"


def pack(signature: str) -> str:
    """A signature as it is stored."""
    return _SIGNATURE + signature


def unpack(stored: str) -> str:
    """The provider's own signature, "" for another vendor's."""
    return stored.removeprefix(_SIGNATURE) if stored.startswith(_SIGNATURE) else ""


def new_call_id() -> str:
    """An id for a call that came without one; unique over the session, since results are matched by it."""
    return _CALL + new_id().replace("-", "")


def is_own_call_id(call_id: str) -> bool:
    """Whether an id was made here, so that the provider has never heard of it."""
    return call_id.startswith(_CALL)
