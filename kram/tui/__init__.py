"""The terminal interface: the only package that knows Textual."""
