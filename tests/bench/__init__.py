"""Figures of kram against a bare reference in the same run. Never part of the test suite."""
