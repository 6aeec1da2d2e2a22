"""kram: an interactive terminal coding agent.

Importing the package is cheap on purpose: neither Textual nor httpx is loaded.
Front ends start from `kram.runtime`.
"""

__version__ = "0.1.0"
