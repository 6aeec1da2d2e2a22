"""Keys: where they come from and who could read them. No key is ever in a finding."""

from __future__ import annotations

import asyncio
import os
import stat
from collections.abc import Mapping
from functools import partial

from kram.config import Provider, usable

from .finding import Finding, finding
from .scene import Scene

CREDENTIALS = "credentials.toml"
KEYRING_LIMIT_S = 5.0

_say = partial(finding, "credentials")


async def check_secrets(scene: Scene) -> list[Finding]:
    return [*_keys(scene), *_file(scene), await _keyring()]


def _keys(scene: Scene) -> list[Finding]:
    if scene.live is None:
        return []
    return [_key(provider, scene.env) for provider in scene.live.base.providers.values() if _needs_key(provider)]


def _needs_key(provider: Provider) -> bool:
    return bool(provider.api_key) or not provider.key_optional


def _key(provider: Provider, env: Mapping[str, str]) -> Finding:
    if usable(provider):
        named = provider.api_key_env and env.get(provider.api_key_env, "").strip() == provider.api_key
        return _say(provider.name, "ok", f"its key is there ({f'${provider.api_key_env}' if named else 'stored'})")
    variable = provider.api_key_env or "its variable"
    return _say(provider.name, "warning", "no key", f"export {variable}=…, or `kram --setup`")


def _file(scene: Scene) -> list[Finding]:
    path = scene.paths.config / CREDENTIALS
    if not path.exists() or os.name != "posix":
        return []
    mode = stat.S_IMODE(path.stat().st_mode)
    if mode & 0o077:
        return [
            _say(CREDENTIALS, "problem", f"others can read it (mode {mode:04o}); it is not used", f"chmod 600 {path}")
        ]
    return [_say(CREDENTIALS, "ok", "only you can read it")]


async def _keyring() -> Finding:
    """Asking some keyrings raises a dialog; here only its name is asked for."""
    try:
        async with asyncio.timeout(KEYRING_LIMIT_S):
            name = await asyncio.to_thread(_keyring_name)
    except TimeoutError:
        return _say(
            "keyring", "warning", f"no answer within {KEYRING_LIMIT_S:.0f} s", "Unlock it, or keep keys in variables"
        )
    except Exception as failure:
        return _say("keyring", "warning", f"cannot be used: {type(failure).__name__}", "Keys go to credentials.toml")
    if not name:
        return _say("keyring", "skipped", "none here; keys are kept in credentials.toml, which only you can read")
    return _say("keyring", "ok", name)


def _keyring_name() -> str:
    import keyring
    from keyring.backends import chainer, fail

    found = keyring.get_keyring()
    if isinstance(found, chainer.ChainerBackend):
        return ", ".join(one.name for one in found.backends)
    return "" if isinstance(found, fail.Keyring) else str(found.name)
