"""Colours of the transcript: `Palette` names them (plain data, from theme variables), `Look` holds them as ready styles.

A look is built once a theme and shared; every style in it carries its background, so that a rendered line needs no
further work on the way to the screen.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import msgspec
from pygments.token import Token, _TokenType
from rich.style import Style
from textual.color import Color, ColorParseError

from kram.base import Data


class Palette(Data):
    """Colours as `#rrggbb`, or as names of terminal colours where the terminal's own are wanted ("default" is its own)."""

    background: str = "#0d0f14"
    surface: str = "#171a22"
    code: str = "#12151c"
    foreground: str = "#d6dae3"
    muted: str = "#8f98ab"
    faint: str = "#4b5364"
    first: str = "#9a74ff"
    second: str = "#7c9bff"
    third: str = "#3fdcf0"
    success: str = "#63c98b"
    warning: str = "#e0b26a"
    error: str = "#f07a83"
    added: str = "#12291f"
    removed: str = "#321820"
    selection: str = "#2b3a67"
    match: str = "#5a4a14"
    syntax: tuple[str, ...] = ("#a58bff", "#8ccf9a", "#e0b26a", "#7fb0ff", "#62d0e0", "#8f98ab")
    """Keyword, string, number, function and class, builtin and type, comment."""


DARK = Palette()
LIGHT = Palette(
    background="#fbfbfd",
    surface="#eef0f6",
    code="#f3f4f8",
    foreground="#23262e",
    muted="#5d6472",
    faint="#b3b9c6",
    first="#6429e8",
    second="#2f5be8",
    third="#007c91",
    success="#1c7a43",
    warning="#8a5a00",
    error="#b8232f",
    added="#dff3e4",
    removed="#fbe3e4",
    selection="#cfdcff",
    match="#ffe9a3",
    syntax=("#6429e8", "#1c7a43", "#8a5a00", "#2f5be8", "#00697a", "#5d6472"),
)
ANSI = Palette(
    background="default",
    surface="default",
    code="default",
    foreground="default",
    muted="bright_black",
    faint="bright_black",
    first="magenta",
    second="blue",
    third="cyan",
    success="green",
    warning="yellow",
    error="red",
    added="default",
    removed="default",
    selection="blue",
    match="yellow",
    syntax=("magenta", "green", "yellow", "blue", "cyan", "bright_black"),
)


def palette_for(variables: Mapping[str, str], *, dark: bool, ansi: bool) -> Palette:
    """The palette of a theme. `variables` are Textual's names of colours; what is missing or no plain colour keeps the
    default. A variable `kram-NAME` sets the field NAME directly."""
    if ansi:
        return ANSI
    base = DARK if dark else LIGHT
    background = _color(variables, "background") or Color.parse(base.background)
    foreground = _color(variables, "foreground") or Color.parse(base.foreground)

    def mixed(name: str, fallback: str, share: float, into: Color) -> str:
        color = _color(variables, name)
        return fallback if color is None else color.blend(into, share).hex6.lower()

    fields = {
        "background": background.hex6.lower(),
        "foreground": foreground.hex6.lower(),
        "surface": mixed("surface", base.surface, 0.0, background),
        "code": mixed("surface", base.code, 0.5, background),
        "muted": foreground.blend(background, 0.4).hex6.lower(),
        "faint": foreground.blend(background, 0.7).hex6.lower(),
        "first": mixed("primary", base.first, 0.3, foreground),
        "second": mixed("secondary", base.second, 0.3, foreground),
        "third": mixed("accent", base.third, 0.15, foreground),
        "success": mixed("success", base.success, 0.0, foreground),
        "warning": mixed("warning", base.warning, 0.0, foreground),
        "error": mixed("error", base.error, 0.0, foreground),
    }
    for name in Palette.__struct_fields__:
        color = _color(variables, f"kram-{name}")
        if name != "syntax" and color is not None:
            fields[name] = color.hex6.lower()
    return msgspec.structs.replace(base, **fields)


def _color(variables: Mapping[str, str], name: str) -> Color | None:
    try:
        color = Color.parse(variables[name])
    except (KeyError, ColorParseError):
        return None
    return None if color.ansi is not None or color.a < 1 else color


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """Ready styles. Compared by identity: `look` gives the same object for the same palette."""

    palette: Palette
    text: Style
    strong: Style
    muted: Style
    faint: Style
    first: Style
    second: Style
    third: Style
    success: Style
    warning: Style
    error: Style
    surface: Style
    surface_muted: Style
    surface_bar: Style
    code: Style
    code_muted: Style
    inline_code: Style
    link: Style
    heading: tuple[Style, ...]
    tag: tuple[Style, ...]
    added: Style
    removed: Style
    selection: Style
    match: Style
    syntax: Mapping[_TokenType, Style]

    def token(self, kind: _TokenType) -> Style:
        """The style of a pygments token on the background of code."""
        while kind is not None and kind is not Token:
            style = self.syntax.get(kind)
            if style is not None:
                return style
            kind = kind.parent
        return self.code


@cache
def look(palette: Palette) -> Look:
    p = palette

    def on(color: str, ground: str = p.background, *, bold: bool | None = None, underline: bool | None = None) -> Style:
        return Style(color=color, bgcolor=ground, bold=bold, underline=underline)

    tag = (p.first, p.first, p.second, p.third)
    return Look(
        palette=p,
        text=on(p.foreground),
        strong=on(p.foreground, bold=True),
        muted=on(p.muted),
        faint=on(p.faint),
        first=on(p.first),
        second=on(p.second),
        third=on(p.third),
        success=on(p.success),
        warning=on(p.warning),
        error=on(p.error),
        surface=on(p.foreground, p.surface),
        surface_muted=on(p.muted, p.surface),
        surface_bar=on(p.second, p.surface),
        code=on(p.foreground, p.code),
        code_muted=on(p.muted, p.code),
        inline_code=on(p.third, p.code),
        link=on(p.second, underline=True),
        heading=(on(p.third, bold=True, underline=True), on(p.third, bold=True), on(p.second, bold=True), on(p.second)),
        tag=tuple(on(color, bold=True) for color in tag),
        added=on(p.success if p.added == "default" else p.foreground, p.added),
        removed=on(p.error if p.removed == "default" else p.foreground, p.removed),
        selection=Style(bgcolor=p.selection),
        match=Style(bgcolor=p.match, color="black" if p.match == "yellow" else None),
        syntax=_syntax(p),
    )


def _syntax(p: Palette) -> dict[_TokenType, Style]:
    keyword, string, number, function, builtin, comment = (Style(color=color, bgcolor=p.code) for color in p.syntax)
    return {
        Token.Keyword: keyword,
        Token.Operator.Word: keyword,
        Token.Name.Tag: keyword,
        Token.Literal.String: string,
        Token.Literal.Number: number,
        Token.Keyword.Constant: number,
        Token.Name.Function: function,
        Token.Name.Class: function,
        Token.Name.Decorator: function,
        Token.Name.Attribute: function,
        Token.Name.Builtin: builtin,
        Token.Name.Exception: builtin,
        Token.Keyword.Type: builtin,
        Token.Comment: comment + Style(italic=True),
        Token.Generic.Deleted: Style(color=p.error, bgcolor=p.code),
        Token.Generic.Inserted: Style(color=p.success, bgcolor=p.code),
        Token.Generic.Heading: function,
        Token.Generic.Subheading: function,
    }
