"""`python -m dse`: the command line, for when the console script is not on the path."""

from dse.cli import main

main()
