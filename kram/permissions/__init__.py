"""One gate: a call and a policy in, a verdict out."""

from .engine import judge
from .explain import Checked, as_json, check_cases, explain_command, explain_line
from .grants import GrantStore
from .load import PolicyFiles, load_policy, make_policy, read_files, read_policy_file
from .modes import MODES
from .paths import Around
from .policy import DEFAULTS, Policy
from .presets import PRESETS, Preset, preset_named, with_preset
from .rules import Rule, parse_rule
from .verdict import SEVERITY, AccessClass, Call, Decision, Mode, Part, Verdict

__all__ = [
    "DEFAULTS",
    "MODES",
    "PRESETS",
    "SEVERITY",
    "AccessClass",
    "Around",
    "Call",
    "Checked",
    "Decision",
    "GrantStore",
    "Mode",
    "Part",
    "Policy",
    "PolicyFiles",
    "Preset",
    "Rule",
    "Verdict",
    "as_json",
    "check_cases",
    "explain_command",
    "explain_line",
    "judge",
    "load_policy",
    "make_policy",
    "parse_rule",
    "preset_named",
    "read_files",
    "read_policy_file",
    "with_preset",
]
