"""The command line: the only place that prints. Front ends are imported inside the command that needs them."""
