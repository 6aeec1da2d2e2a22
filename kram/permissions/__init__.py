"""One gate: a call and a policy in, a verdict out."""

from .verdict import SEVERITY, AccessClass, Call, Decision, Mode, Part, Verdict

__all__ = [
    "SEVERITY",
    "AccessClass",
    "Call",
    "Decision",
    "Mode",
    "Part",
    "Verdict",
]
