"""What the model sees: tokens, budget, prompt parts, and the pipeline from stored entries to a request."""

from .boundary import Boundary, boundary_of, last_boundary, read_boundary, since_boundary
from .budget import Plan, budget, plan, shape_target, window_for
from .calibration import Calibration
from .checkpoints import TurnSummary, checkpoint_of, minimal_checkpoint, summarise_turn
from .core_messages import CoreCall, CoreMessage, IndexedCheckpoint, shifted, substituted
from .draft import CompactionDraft, DraftItem, sorted_items, transcript_entries
from .estimator import Estimator, Observed
from .facades import BlankSummary, Compactor, CompactResult, DidNotConverge, FoldInfo, Shaped, Shaper
from .faith import Fact, facts, lost
from .pairing import pair
from .parts import Prompt, PromptPart, assemble
from .pipeline import View, build_view, for_plan
from .policy import Checkpoint, Costs, Mark, Marks, StageReport, ViewPolicy
from .prefix import RequestPart, first_difference, request_parts
from .reminders import (
    PLAN,
    PLAN_EVERY,
    PLAN_OVER,
    answers,
    changed_files,
    is_todo_reminder,
    reminder,
    todo_due,
    todo_lines,
    todo_missing,
    todo_reminder,
)
from .render import render
from .report import cache_price, context_report, with_entries
from .shape import Shape
from .skills import active_skills, cut_skill, skill_name, skill_text
from .sources import (
    BLANK_RETRY,
    BUDGET_NEAR,
    CONTINUE_LENGTH,
    SOFT_LANDING,
    appended_part,
    base_part,
    environment_part,
    instructions_part,
    memory_part,
    prompt_text,
    reminder_part,
    tools_part,
)
from .stages import Folding, fold, foldable, lower_detail, make_marker, stub, summary_of
from .tail import last_words, open_question, pristine_tail, protected, tail_start
from .tokens import Meter, estimate, estimate_entries, estimate_entry, estimate_tools
from .transcript import merge_request, stretches, summary_request, transcript_lines
from .truncation import Seen, is_cut
from .view import cap, measure, neutralise, viewed

__all__ = [
    "BLANK_RETRY",
    "BUDGET_NEAR",
    "CONTINUE_LENGTH",
    "PLAN",
    "PLAN_EVERY",
    "PLAN_OVER",
    "SOFT_LANDING",
    "BlankSummary",
    "Boundary",
    "Calibration",
    "Checkpoint",
    "CompactResult",
    "CompactionDraft",
    "Compactor",
    "CoreCall",
    "CoreMessage",
    "Costs",
    "DidNotConverge",
    "DraftItem",
    "Estimator",
    "Fact",
    "FoldInfo",
    "Folding",
    "IndexedCheckpoint",
    "Mark",
    "Marks",
    "Meter",
    "Observed",
    "Plan",
    "Prompt",
    "PromptPart",
    "RequestPart",
    "Seen",
    "Shape",
    "Shaped",
    "Shaper",
    "StageReport",
    "TurnSummary",
    "View",
    "ViewPolicy",
    "active_skills",
    "answers",
    "appended_part",
    "assemble",
    "base_part",
    "boundary_of",
    "budget",
    "build_view",
    "cache_price",
    "cap",
    "changed_files",
    "checkpoint_of",
    "context_report",
    "cut_skill",
    "environment_part",
    "estimate",
    "estimate_entries",
    "estimate_entry",
    "estimate_tools",
    "facts",
    "first_difference",
    "fold",
    "foldable",
    "for_plan",
    "instructions_part",
    "is_cut",
    "is_todo_reminder",
    "last_boundary",
    "last_words",
    "lost",
    "lower_detail",
    "make_marker",
    "measure",
    "memory_part",
    "merge_request",
    "minimal_checkpoint",
    "neutralise",
    "open_question",
    "pair",
    "plan",
    "pristine_tail",
    "prompt_text",
    "protected",
    "read_boundary",
    "reminder",
    "reminder_part",
    "render",
    "request_parts",
    "shape_target",
    "shifted",
    "since_boundary",
    "skill_name",
    "skill_text",
    "sorted_items",
    "stretches",
    "stub",
    "substituted",
    "summarise_turn",
    "summary_of",
    "summary_request",
    "tail_start",
    "todo_due",
    "todo_lines",
    "todo_missing",
    "todo_reminder",
    "tools_part",
    "transcript_entries",
    "transcript_lines",
    "viewed",
    "window_for",
    "with_entries",
]
