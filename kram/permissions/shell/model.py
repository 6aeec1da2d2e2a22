"""What is known of shell text after reading it: words, redirections, simple commands, and how they hang together.

Plain data, made by `parse`. A word that only the shell can know when it runs carries the reason in `open`.
"""

from __future__ import annotations

from kram.base import Data

UNKNOWN = "\ufffd"
"""Stands in a word's text for what an expansion would put there."""


class Word(Data):
    """`text` is what is left after quote removal. `open` says why the value is not known, "" where it is.

    `glob`: open only because of file name patterns. `tilde`: it starts at a home folder.
    """

    text: str
    open: str = ""
    glob: bool = False
    tilde: bool = False


class Assignment(Data):
    """`NAME=value` in front of a command or on its own; `append` for `+=`."""

    name: str
    value: Word
    append: bool = False


class Redirect(Data):
    """`operator` without its descriptor, which is "" where none is written. A here-document is `<<<` with its text."""

    operator: str
    target: Word
    descriptor: str = ""
    document: bool = False


class Command(Data):
    """One simple command. Without words it is assignments alone, or the redirections of a group."""

    words: tuple[Word, ...] = ()
    assignments: tuple[Assignment, ...] = ()
    redirects: tuple[Redirect, ...] = ()

    @property
    def open(self) -> str:
        """Why one of the words is not known, "" where all are."""
        return next((word.open for word in self.words if word.open), "")

    def texts(self) -> tuple[str, ...]:
        return tuple(word.text for word in self.words)


class Parsed(Data):
    """`commands` in the order they stand, wherever they are nested.

    `opaque`: why the text is not understood at all, so that nothing but a person may let it run. `loose`: why it cannot be
    rebuilt word by word although its structure is understood (loops, variables, substitutions). `skeleton`: the text
    as operators and the indexes of its commands; empty where it is opaque or loose. `suspects`: rough readings of text
    that is not understood, only good for finding denied commands.
    """

    commands: tuple[Command, ...]
    opaque: str = ""
    loose: str = ""
    skeleton: tuple[str | int, ...] = ()
    suspects: tuple[tuple[str, ...], ...] = ()
