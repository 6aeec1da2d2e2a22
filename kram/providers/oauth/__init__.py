"""Logging in with a browser: PKCE, a callback on this machine, a permanent key in the end."""

from .login import LOGIN_S, BrowserLogin, LoginFailed

__all__ = ["LOGIN_S", "BrowserLogin", "LoginFailed"]
