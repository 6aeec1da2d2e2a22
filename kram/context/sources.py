"""Where prompt parts come from: our own texts, the machine, instruction files, memory, and the runtime's reminders."""

from __future__ import annotations

import platform
import tomllib
from collections.abc import Collection, Sequence
from importlib.resources import files
from pathlib import Path

import msgspec

from kram.messages import Example
from kram.workspace import InstructionFile, Skills

from .parts import PromptPart
from .transclude import NOTE


def prompt_text(name: str) -> str:
    """One of the texts in `prompts/`, without its file ending."""
    return files("kram.context").joinpath("prompts", f"{name}.md").read_text("utf-8").strip()


def base_part(*, compact: bool = False, override: str = "") -> PromptPart:
    """The base prompt; `override` (a file the person named) replaces it."""
    content = override or prompt_text("base_compact" if compact else "base")
    return PromptPart(id="base", content=content, source="file" if override else "builtin")


def example_exchanges(tools: Collection[str]) -> tuple[Example, ...]:
    """Exchanges that show a small model when to call and when to talk; only with tools that are there."""
    text = files("kram.context").joinpath("prompts", "examples_compact.toml").read_text("utf-8")
    found = msgspec.convert(tomllib.loads(text)["example"], list[Example])
    return tuple(one for one in found if not one.tool or one.tool in tools)


def appended_part(text: str) -> PromptPart:
    """What the person adds to the base prompt."""
    return PromptPart(id="appended", content=text, source="file")


def tools_part(overview: str) -> PromptPart:
    """One line a visible tool, generated from the same registry as the definitions."""
    content = f"# Tools\n{overview}\nIndependent calls belong in one message." if overview else ""
    return PromptPart(id="tools-overview", content=content, category="tool_overview")


def quoting_part(*, wanted: bool) -> PromptPart:
    """How a tool's output is quoted without writing it again."""
    return PromptPart(id="quoting", content=f"# Quoting\n{NOTE}" if wanted else "")


def environment_part(root: Path, *, branch: str, today: str) -> PromptPart:
    """Where the session runs; the date without the time, so that it changes once a day."""
    lines = [f"Project folder: {root}", f"System: {platform.system()} {platform.machine()}", f"Date: {today}"]
    if branch:
        lines.insert(1, f"Git branch: {branch}")
    return PromptPart(id="environment", content="# Environment\n" + "\n".join(lines), refresh="run", source="machine")


def memory_part(text: str) -> PromptPart:
    """Facts kept from earlier sessions, frozen for the run."""
    content = f"# Memory\nFacts kept from earlier work; check them where they matter.\n{text}" if text else ""
    return PromptPart(id="memory", content=content, refresh="run", source="memory", category="memory")


def skills_part(skills: Skills) -> PromptPart:
    """Name and description of each skill the model may choose; the rest is read when it does."""
    rows = [f"- {one.name}: {' '.join(one.description.split())}" for one in skills.found if one.for_model]
    lead = "# Skills\nWhere one of these fits the work, call `skill` with its name first and follow it."
    content = "\n".join([lead, *rows]) if rows else ""
    return PromptPart(id="skills", content=content, refresh="run", source="SKILL.md")


def instructions_part(found: Sequence[InstructionFile]) -> PromptPart:
    """AGENTS.md and kin, outermost first; the nearest file wins where they disagree."""
    sections = [f"## {_named(one)}\n{one.text.strip()}" for one in found if one.text.strip()]
    content = ""
    if sections:
        lead = (
            "# Project instructions\nWritten by the people of this project. A file nearer to the code wins; "
            "the person's own words win over all."
        )
        content = "\n\n".join([lead, *sections])
    return PromptPart(
        id="project-context", content=content, refresh="iteration", source="AGENTS.md", category="project_context"
    )


def _named(one: InstructionFile) -> str:
    return f"{one.path} (imported by {one.imported_by})" if one.imported_by else one.path


def reminder_part(part_id: str, text: str) -> PromptPart:
    """A runtime reminder after the history, for this call only."""
    return PromptPart(id=part_id, content=text, placement="post-history", refresh="iteration", source="runtime")


SOFT_LANDING = (
    "This is the last model call of this turn and tools are off. Answer now in plain words: what was done, what is proven, "
    "what remains. The person can tell you to go on."
)
BLANK_RETRY = "Your last answer was empty. Answer the person, or call the tool you need."
CONTINUE_BROKEN = (
    "The connection broke in the middle of your last message. The person has read what stands there. Go on exactly where "
    "it ends, in the middle of a word if need be; repeat nothing of it and do not speak of the break. No tool was called "
    "yet: call again what you were about to call."
)
CONTINUE_LENGTH = (
    "Your last answer was cut off by the output limit. Continue exactly where it stopped, without repeating it."
)
FINISH_ANSWER = "Your last answer breaks off. Give its end, without repeating the rest."
GO_AHEAD = "You said what you are going to do. Do it now, or give the person your answer."
BUDGET_NEAR = "About 80 % of this turn's budget is used. Bring the work to a good end soon."
