"""One argument value of a heredoc call, read while it is written: loose JSON with raw bodies comes in, JSON text goes out.

Taken: bare keys, both kinds of quotes, Python's words, trailing commas, and strings without any escaping, either
`~~~tag`, lines, `~~~tag` or between equal runs of backticks. What stands in a string is never syntax. Nothing is ever
closed that the text left open: cut-off input gives cut-off JSON, which the argument gate refuses.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable

_WORDS = {"True": "true", "False": "false", "None": "null", "true": "true", "false": "false", "null": "null"}
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")
_WORD = re.compile(r"""[^\s,:{}\[\]"'`~]+""")
_KEY = re.compile(r"[A-Za-z_$][\w$.-]*")
_SPACE = re.compile(r"\s*")
_PLAIN = {'"': re.compile(r'[^"\\\x00-\x1f]+'), "'": re.compile(r"""[^'"\\\x00-\x1f]+""")}
_CLOSES = {"{": "}", "[": "]"}
_MAX_DEPTH = 64


class ValueReader:
    """`feed` pieces until `done` or `problem`; `rest` is then what was not part of the value."""

    def __init__(self) -> None:
        self.done = False
        self.problem = ""
        self._text = ""
        self._at = 0
        self._final = False
        self._out: list[str] = []
        self._open: list[str] = []
        self._members: list[bool] = []
        self._wanted: Callable[[str], bool] = self._value
        self._inside: Callable[[], bool] | None = None
        self._is_key = False
        self._quote = ""
        self._body = _Body("")
        self._after_body = False

    @property
    def rest(self) -> str:
        return self._text[self._at :]

    def feed(self, text: str, *, final: bool = False) -> str:
        """The JSON that is certain after this piece. `final`: nothing follows."""
        self._text = self._text[self._at :] + text
        self._at = 0
        self._final = final
        self._out.clear()
        while not (self.done or self.problem) and self._step():
            pass
        return "".join(self._out)

    def _step(self) -> bool:
        """Reads one token; False where it may go on in the next piece."""
        if self._inside is not None:
            return self._inside()
        space = _SPACE.match(self._text, self._at)
        self._at = space.end() if space else self._at
        return self._at < len(self._text) and self._wanted(self._text[self._at])

    # --- between values -----------------------------------------------------------------------------------------

    def _value(self, char: str) -> bool:
        if char == "]" and self._open[-1:] == ["["]:
            return self._close(char)
        if char in _CLOSES:
            return self._descend(char)
        return self._string_or_word(char, key=False)

    def _key(self, char: str) -> bool:
        if char == "}":
            return self._close(char)
        if char == "," and self._members[-1]:
            # A second comma: the one behind a body's last line and the one in front of the next key.
            self._at += 1
            return True
        return self._string_or_word(char, key=True)

    def _colon(self, char: str) -> bool:
        if char != ":":
            return self._broken("a colon", char)
        return self._take(":", 1, self._value)

    def _next(self, char: str) -> bool:
        in_object = self._open[-1] == "{"
        if char == ",":
            self._at += 1
            self._wanted = self._key if in_object else self._value
            return True
        if char == _CLOSES[self._open[-1]]:
            return self._close(char)
        if self._after_body and in_object:
            self._wanted = self._key
            return True
        return self._broken(f"a comma or '{_CLOSES[self._open[-1]]}'", char)

    def _descend(self, char: str) -> bool:
        if len(self._open) >= _MAX_DEPTH:
            return self._broken("fewer levels", char)
        self._begin_member()
        self._open.append(char)
        self._members.append(False)
        return self._take(char, 1, self._key if char == "{" else self._value)

    def _close(self, char: str) -> bool:
        self._open.pop()
        self._members.pop()
        self._take(char, 1, self._next)
        return self._ended()

    def _begin_member(self) -> None:
        """A comma in front of every key, and of every value of a list, but the first."""
        if self._open and (self._wanted == self._key or self._open[-1] == "["):
            if self._members[-1]:
                self._out.append(",")
            self._members[-1] = True

    def _ended(self, *, body: bool = False) -> bool:
        """A value, or a key, is complete."""
        self._inside = None
        self._after_body = body
        self._wanted = self._colon if self._is_key else self._next
        self._is_key = False
        self.done = not self._open
        return True

    def _take(self, text: str, length: int, then: Callable[[str], bool]) -> bool:
        self._out.append(text)
        self._at += length
        self._wanted = then
        return True

    def _broken(self, wanted: str, found: str) -> bool:
        self.problem = f"expected {wanted}, found '{found[:40]}'"
        return False

    # --- strings and words --------------------------------------------------------------------------------------

    def _string_or_word(self, char: str, *, key: bool) -> bool:
        if char in _PLAIN:
            self._enter(self._in_quotes, key=key)
            self._quote = char
            self._at += 1
            return True
        if char == "~":
            return self._tilde(key=key)
        if char == "`":
            return self._backticks(key=key)
        word = (_KEY if key else _WORD).match(self._text, self._at)
        if word is None:
            return self._broken("a key" if key else "a value", char)
        if word.end() == len(self._text) and not self._final:
            return False
        text = json.dumps(word[0], ensure_ascii=False) if key else _literal(word[0])
        if not text:
            return self._broken("a value", word[0])
        self._begin_member()
        self._is_key = key
        self._out.append(text)
        self._at = word.end()
        return self._ended()

    def _enter(self, inside: Callable[[], bool], *, key: bool) -> None:
        self._begin_member()
        self._is_key = key
        self._inside = inside
        self._out.append('"')

    def _leave(self, length: int, *, body: bool = False) -> bool:
        self._out.append('"')
        self._at += length
        return self._ended(body=body)

    def _in_quotes(self) -> bool:
        """Escapes stay as they are; raw line breaks and the other kind of quote get one."""
        plain = _PLAIN[self._quote]
        while self._at < len(self._text):
            if run := plain.match(self._text, self._at):
                self._out.append(run[0])
                self._at = run.end()
                continue
            char = self._text[self._at]
            if char == self._quote:
                return self._leave(1)
            if char == "\\":
                pair = self._text[self._at : self._at + 2]
                if len(pair) < 2:
                    return False
                self._out.append("'" if pair == "\\'" else pair if pair != "\\\n" else "\\n")
                self._at += 2
                continue
            self._out.append(_escaped(char))
            self._at += 1
        return False

    def _tilde(self, *, key: bool) -> bool:
        line = self._text[self._at :].partition("\n")[0]
        complete = len(line) < len(self._text) - self._at
        if not line.startswith("~~~"[: len(line)]) or (complete and len(line.rstrip()) < 3):
            return self._broken("a value", line)
        if not complete:
            return False
        return self._open_body(line.rstrip(), len(line) + 1, key=key)

    def _backticks(self, *, key: bool) -> bool:
        run = len(self._text) - self._at - len(self._text[self._at :].lstrip("`"))
        line = self._text[self._at + run :].partition("\n")[0]
        complete = self._at + run + len(line) < len(self._text)
        if run < 3 or "`" in line:
            if self._at + run == len(self._text):
                return False
            self._enter(self._in_backticks, key=key)
            self._quote = "`" * run
            self._at += run
            return True
        return complete and self._open_body("`" * run, run + len(line) + 1, key=key)

    def _in_backticks(self) -> bool:
        """Up to a run of exactly as many backticks as opened it."""
        while (start := self._text.find("`", self._at)) >= 0:
            tail = self._text[start:]
            run = len(tail) - len(tail.lstrip("`"))
            if run == len(tail) and not self._final:
                break
            end = start if run == len(self._quote) else start + run
            self._out.append(_escaped(self._text[self._at : end]))
            self._at = end
            if end == start:
                return self._leave(run)
        end = start if start >= 0 else len(self._text)
        self._out.append(_escaped(self._text[self._at : end]))
        self._at = end
        return False

    def _open_body(self, opener: str, length: int, *, key: bool) -> bool:
        self._enter(self._in_body, key=key)
        self._body = _Body(opener)
        self._at += length
        return True

    def _in_body(self) -> bool:
        while True:
            end = self._text.find("\n", self._at)
            complete = end >= 0
            line = self._text[self._at : end if complete else len(self._text)]
            if (complete or self._final) and self._body.closes(line):
                return self._leave(len(self._body.opener), body=True)
            if not complete and not self._final and self._body.may_close(line):
                return False
            self._out.append(self._body.take(line, complete=complete))
            self._at += len(line) + complete
            if not complete:
                return False


class _Body:
    """The lines between an opener and the line that equals it. The last line break belongs to the closer."""

    def __init__(self, opener: str) -> None:
        self.opener = opener
        self._owed = ""
        self._in_line = False

    def closes(self, line: str) -> bool:
        """A comma may follow on the closing line; behind backticks, which can be told from a tag, also more of the object."""
        if self._in_line or not line.startswith(self.opener):
            return False
        behind = line[len(self.opener) :].strip()
        return behind in ("", ",") or (self.opener[0] == "`" and behind[0] in ",}]")

    def may_close(self, line: str) -> bool:
        if self._in_line:
            return not line
        return self.opener.startswith(line) or self.closes(line)

    def take(self, line: str, *, complete: bool) -> str:
        """A line, or what is there of one, as the inside of a JSON string."""
        text = self._owed + line
        self._owed = "\n" if complete else ""
        self._in_line = not complete
        return _escaped(text)


def _literal(word: str) -> str:
    """A number or a constant as JSON, "" for anything else."""
    return _WORDS.get(word) or (word if _NUMBER.fullmatch(word) else "")


def _escaped(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]
