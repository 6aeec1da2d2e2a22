"""The gateway as an OpenAI-compatible HTTP endpoint. Loaded only by `kram serve`: it needs starlette and uvicorn."""

from .app import Service, application
from .guard import Guard, is_loopback
from .served import Served, Tell
from .server import bind, serve, url_of

__all__ = ["Guard", "Served", "Service", "Tell", "application", "bind", "is_loopback", "serve", "url_of"]
