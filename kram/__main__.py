"""`python -m kram` is the same as `kram`."""

from kram.cli.main import main

main()
