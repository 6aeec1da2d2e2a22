"""The environment a child gets: a list of names that may pass, never the whole of ours.

Credentials, loader and interpreter hooks, exported shell functions and programs that git or a pager would start stay
behind, and so does any value that carries a user and password in a URL. Nothing a child starts can wait for a terminal.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from types import MappingProxyType

_NAMES = frozenset(
    [
        "PATH",
        "HOME",
        "USER",
        "LOGNAME",
        "SHELL",
        "LANG",
        "LANGUAGE",
        "TZ",
        "TMPDIR",
        "TMP",
        "TEMP",
        "HOSTNAME",
        "CI",
        "PWD",
        "DISPLAY",
        "WAYLAND_DISPLAY",
        "DBUS_SESSION_BUS_ADDRESS",
        "SSH_AUTH_SOCK",
        "XAUTHORITY",
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "NO_PROXY",
        "ALL_PROXY",
        "http_proxy",
        "https_proxy",
        "no_proxy",
        "all_proxy",
        "SSL_CERT_FILE",
        "SSL_CERT_DIR",
        "REQUESTS_CA_BUNDLE",
        "CURL_CA_BUNDLE",
        "NODE_EXTRA_CA_CERTS",
        "NIX_SSL_CERT_FILE",
        "GIT_SSL_CAINFO",
        "GIT_AUTHOR_NAME",
        "GIT_AUTHOR_EMAIL",
        "GIT_COMMITTER_NAME",
        "GIT_COMMITTER_EMAIL",
        "VIRTUAL_ENV",
        "PYENV_ROOT",
        "PYENV_VERSION",
        "PYTHONPATH",
        "PYTHONDONTWRITEBYTECODE",
        "PYTHONUNBUFFERED",
        "PYTHONUTF8",
        "POETRY_HOME",
        "JAVA_HOME",
        "JDK_HOME",
        "MAVEN_HOME",
        "M2_HOME",
        "GRADLE_HOME",
        "GRADLE_USER_HOME",
        "ANDROID_HOME",
        "ANDROID_SDK_ROOT",
        "KOTLIN_HOME",
        "GOPATH",
        "GOROOT",
        "GOBIN",
        "GOCACHE",
        "GOMODCACHE",
        "GOPROXY",
        "GONOSUMDB",
        "GONOPROXY",
        "GOPRIVATE",
        "GOFLAGS",
        "GOOS",
        "GOARCH",
        "CGO_ENABLED",
        "RUST_BACKTRACE",
        "RUST_LOG",
        "RUSTFLAGS",
        "NODE_ENV",
        "NODE_PATH",
        "PNPM_HOME",
        "BUN_INSTALL",
        "DENO_DIR",
        "DENO_INSTALL",
        "VOLTA_HOME",
        "FNM_DIR",
        "DOTNET_ROOT",
        "GEM_HOME",
        "GEM_PATH",
        "RBENV_ROOT",
        "RBENV_VERSION",
        "ASDF_DIR",
        "ASDF_DATA_DIR",
        "MISE_DATA_DIR",
        "SDKMAN_DIR",
        "OPAMROOT",
        "CC",
        "CXX",
        "AR",
        "CFLAGS",
        "CXXFLAGS",
        "CPPFLAGS",
        "LDFLAGS",
        "MAKEFLAGS",
        "PKG_CONFIG_PATH",
        "CMAKE_PREFIX_PATH",
        "CMAKE_GENERATOR",
        "COMPOSE_PROJECT_NAME",
        "DOCKER_HOST",
        "DOCKER_CONTEXT",
        "KUBECONFIG",
        "DATABASE_URL",
        "COLUMNS",
    ]
)
_PREFIXES = (
    "LC_",
    "XDG_",
    "CONDA_",
    "MAMBA_",
    "NVM_",
    "CARGO_",
    "RUSTUP_",
    "PIP_",
    "UV_",
    "HOMEBREW_",
    "NIX_",
    "CUDA_",
)
_NEVER = re.compile(
    r"KEY|TOKEN|SECRET|PASS|CRED|AUTH(?!OR|_SOCK|ORITY)|^(?:LD_|DYLD_|BASH_|ENV$|PYTHONSTARTUP|NODE_OPTIONS)", re.I
)
_LOGIN_IN_URL = re.compile(r"[a-z][a-z0-9+.-]*://[^/\s@]*:[^/\s@]*@", re.I)

QUIET = MappingProxyType(
    {
        "TERM": "dumb",
        "PAGER": "cat",
        "GIT_PAGER": "cat",
        "MANPAGER": "cat",
        "SYSTEMD_PAGER": "cat",
        "EDITOR": "false",
        "VISUAL": "false",
        "GIT_EDITOR": "false",
        "GIT_SEQUENCE_EDITOR": "false",
        "GIT_TERMINAL_PROMPT": "0",
        "GCM_INTERACTIVE": "never",
        "SSH_ASKPASS_REQUIRE": "never",
        "DEBIAN_FRONTEND": "noninteractive",
    }
)


def child_env(extra: Mapping[str, str] | None = None, *, base: Mapping[str, str] = os.environ) -> dict[str, str]:
    """What of `base` may pass, the values that keep a child from waiting for a person, and `extra` on top as it is.

    `extra` is the caller's own choice and is not filtered.
    """
    passed = {name: value for name, value in base.items() if may_pass(name, value)}
    return {"PATH": os.defpath, **passed, **QUIET, **(extra or {})}


def may_pass(name: str, value: str) -> bool:
    """Whether a child may inherit this variable."""
    if _NEVER.search(name) or value.startswith("() {"):
        return False
    if name not in _NAMES and not name.startswith(_PREFIXES):
        return False
    return not _LOGIN_IN_URL.search(value)
