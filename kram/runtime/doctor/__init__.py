"""Whether everything kram needs is in order: one small file per family of checks, one line per finding.

`finding` is plain data and cheap; the checks themselves (`examine`, `scene`) are imported by whoever runs them.
"""

from .finding import Finding, State, finding
from .telling import MARKS, summed, told, worst

__all__ = ["MARKS", "Finding", "State", "finding", "summed", "told", "worst"]
