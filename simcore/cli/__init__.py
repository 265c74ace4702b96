"""The command line: `simcore simulate kernel.cu --gpu h200 --grid 264 --block 256 --arg float32[1048576]`.

One module per command; each imports what it needs when it runs, so that `simcore --help` is fast.
"""

import atexit
import gc
import sys

import typer

from simcore.cli.difference import diff
from simcore.cli.gpus import gpus
from simcore.cli.profiling import profile
from simcore.cli.simulate import simulate
from simcore.cli.timeline import timeline
from simcore.cli.validate import validate

app = typer.Typer(
    help="Predicts what a CUDA kernel does on GPUs you do not have.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
    add_completion=False,
)
app.command()(simulate)
app.command()(profile)
app.command()(diff)
app.command()(timeline)
app.command()(validate)
app.command()(gpus)

#: Exit codes, as shells have them.
BAD_INPUT = 2


def main() -> None:
    """The console script: errors that a user can fix become one message, without a traceback."""
    from simcore.compilation import without_blas
    from simcore.errors import SimcoreError

    # At the end the collector would look at everything once more.
    atexit.register(gc.freeze)
    try:
        with without_blas():
            app()
    except SimcoreError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(BAD_INPUT)
