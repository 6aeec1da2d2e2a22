"""What the model sees: tokens, budget, prompt parts, and the pipeline from stored entries to a request."""

from .budget import Plan, budget, plan, shape_target
from .lod import lower_detail, pristine_tail, stub
from .pairing import pair
from .parts import Prompt, PromptPart, assemble
from .pipeline import View, ViewPolicy, build_view, foldable
from .render import render
from .report import context_report
from .sources import (
    BLANK_RETRY,
    BUDGET_NEAR,
    CONTINUE_LENGTH,
    SOFT_LANDING,
    appended_part,
    base_part,
    environment_part,
    example_exchanges,
    instructions_part,
    memory_part,
    prompt_text,
    reminder_part,
    tools_part,
)
from .summary import marker, summary_request
from .tokens import estimate, estimate_entries, estimate_entry, estimate_tools
from .view import cap, neutralise, viewed

__all__ = [
    "BLANK_RETRY",
    "BUDGET_NEAR",
    "CONTINUE_LENGTH",
    "SOFT_LANDING",
    "Plan",
    "Prompt",
    "PromptPart",
    "View",
    "ViewPolicy",
    "appended_part",
    "assemble",
    "base_part",
    "budget",
    "build_view",
    "cap",
    "context_report",
    "environment_part",
    "estimate",
    "estimate_entries",
    "estimate_entry",
    "estimate_tools",
    "example_exchanges",
    "foldable",
    "instructions_part",
    "lower_detail",
    "marker",
    "memory_part",
    "neutralise",
    "pair",
    "plan",
    "pristine_tail",
    "prompt_text",
    "reminder_part",
    "render",
    "shape_target",
    "stub",
    "summary_request",
    "tools_part",
    "viewed",
]
