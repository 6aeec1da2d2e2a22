"""Finds out what an endpoint really does, by tiny real requests: see `run.probe_endpoint`."""

from .lab import Lab, Reply
from .outcome import Answer, Outcome, Report
from .run import PROBES, probe_endpoint
from .surface import ECHOES, Echo, Surface, tool_surface

__all__ = [
    "ECHOES",
    "PROBES",
    "Answer",
    "Echo",
    "Lab",
    "Outcome",
    "Reply",
    "Report",
    "Surface",
    "probe_endpoint",
    "tool_surface",
]
