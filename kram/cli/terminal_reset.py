"""A terminal as a shell expects it, whatever a killed program left: cooked lines with echo, the main screen, a visible cursor,
no mouse reports, no paste marks, no extended keys.
"""

from __future__ import annotations

import os
import termios

SEQUENCE = (
    b"\x1b[<u\x1b[>4;0m"  # extended keys, in the two ways terminals know
    b"\x1b[?9l\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1005l\x1b[?1006l\x1b[?1015l\x1b[?1016l"  # mouse
    b"\x1b[?1004l\x1b[?2004l\x1b[?2026l\x1b[?2048l\x1b[?2031l"  # focus, paste, synchronised drawing, size and theme reports
    b"\x1b[?1049l\x1b[?47l"  # the main screen
    b"\x1b[?1l\x1b>\x1b[4l\x1b[?7h\x1b[?25h\x1b[0 q"  # usual keys, replacing off, wrapping, cursor
    b"\x1b[r\x1b(B\x1b[0m\r"  # the whole screen scrolls, ASCII, no colours
)


def reset_terminal(fd: int) -> None:
    """Repairs the terminal behind an open descriptor. Raises `OSError` and `termios.error` where there is none.

    The line discipline first: while it is raw, the sequence that follows could not even end a line.
    """
    termios.tcsetattr(fd, termios.TCSADRAIN, cooked(termios.tcgetattr(fd)))
    os.write(fd, SEQUENCE)


def cooked(now: list[int | list[bytes | int]]) -> list[int | list[bytes | int]]:
    """Terminal attributes as after a login; speeds and special characters stay, those that were switched off come back."""
    iflag, oflag, cflag, lflag, ispeed, ospeed, characters = now
    assert isinstance(iflag, int)
    assert isinstance(oflag, int)
    assert isinstance(cflag, int)
    assert isinstance(lflag, int)
    assert isinstance(characters, list)
    iflag |= termios.ICRNL | termios.IXON | termios.BRKINT
    iflag &= ~(termios.IGNBRK | termios.INLCR | termios.IGNCR | termios.ISTRIP | termios.PARMRK)
    oflag |= termios.OPOST | termios.ONLCR
    cflag = (cflag & ~(termios.CSIZE | termios.PARENB)) | termios.CS8 | termios.CREAD
    lflag |= termios.ICANON | termios.ISIG | termios.IEXTEN | termios.ECHO | termios.ECHOE | termios.ECHOK
    lflag &= ~(termios.ECHONL | termios.NOFLSH | termios.TOSTOP)
    restored = list(characters)
    restored[termios.VMIN], restored[termios.VTIME] = 1, 0
    for place, usual in (
        (termios.VINTR, b"\x03"),
        (termios.VQUIT, b"\x1c"),
        (termios.VEOF, b"\x04"),
        (termios.VSUSP, b"\x1a"),
    ):
        if restored[place] in (b"\x00", b"\xff"):
            restored[place] = usual
    return [iflag, oflag, cflag, lflag, ispeed, ospeed, restored]
