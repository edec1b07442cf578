"""`python -m lakelight`."""

from lakelight.cli.main import run

run()
