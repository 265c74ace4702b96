"""The command line: `simcore validate tests/silicon/h200/families.jsonl.gz`.

A module a command; each imports what it needs when it runs, so that `simcore --help` answers at once.
"""

import sys

import typer

from simcore.cli.gpus import gpus
from simcore.cli.validate import validate

app = typer.Typer(
    help="Predicts what a CUDA kernel does on GPUs you do not have.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
app.command()(validate)
app.command()(gpus)

#: Exit codes, as shells have them.
BAD_INPUT = 2


def main() -> None:
    """The console script: errors that a person can put right become one message, without a traceback."""
    from simcore.errors import SimcoreError

    try:
        app()
    except SimcoreError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(BAD_INPUT)
