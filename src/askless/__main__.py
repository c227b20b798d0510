"""`python -m askless` is the command line."""

from askless.cli import main

main()
