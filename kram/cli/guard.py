"""How a command ends badly: one line on stderr that says what, where and what to do, and the exit code of the error."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from kram.base import KramError

P = ParamSpec("P")
R = TypeVar("R")

BROKEN_PIPE = 1


def guarded(command: Callable[P, R]) -> Callable[P, R]:
    """Turns our errors into exit codes. A reader that went away is no reason for a traceback."""

    @wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return command(*args, **kwargs)
        except KramError as failure:
            complain(str(failure))
            sys.exit(failure.exit_code)
        except KeyboardInterrupt:
            sys.exit(130)
        except BrokenPipeError:
            # Python would complain once more when it flushes stdout on the way out.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(BROKEN_PIPE)

    return run


def complain(text: str) -> None:
    """One line on stderr."""
    print(f"kram: {text}", file=sys.stderr, flush=True)
