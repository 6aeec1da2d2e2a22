"""One gate: a call and a policy in, a verdict out."""

from .engine import judge
from .explain import as_json, explain_command, explain_line
from .grants import GrantStore
from .load import load_policy, read_policy_file
from .policy import DEFAULTS, Policy
from .rules import Rule, parse_rule
from .verdict import SEVERITY, AccessClass, Call, Decision, Mode, Part, Verdict

__all__ = [
    "DEFAULTS",
    "SEVERITY",
    "AccessClass",
    "Call",
    "Decision",
    "GrantStore",
    "Mode",
    "Part",
    "Policy",
    "Rule",
    "Verdict",
    "as_json",
    "explain_command",
    "explain_line",
    "judge",
    "load_policy",
    "parse_rule",
    "read_policy_file",
]
