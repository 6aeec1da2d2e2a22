"""Other ways to write a JSON result, shorter for a model to read. Whatever is not JSON passes unchanged through all of them."""

from .encode import ENCODINGS, Encoding, encoded

__all__ = ["ENCODINGS", "Encoding", "encoded"]
