"""The command line: `dse run rsqrt_chain --gpu a100-80gb,h100-sxm`.

Each command is a thin layer over `dse.client`; its output comes from `dse.cli.terminal`.

Modules that depend on the simulator or the database are imported inside the commands: `dse --help` takes 0.3 s of CPU
time, and would take 3 s with everything loaded.
"""

import atexit
import gc
import sys
from typing import Annotated

import typer

from dse.cli import administration, answers, experiments, gpus, spaces, sweeps

#: Exit code for bad input, or a server that cannot be reached.
BAD_INPUT = 2
INSTALL = "pip install 'cuda-dse[{}]'"
#: The extras of packages that do not come with the extra `service`.
EXTRAS = {"choreographer": "plots", "kaleido": "plots", "psycopg": "postgres"}

app = typer.Typer(
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
    add_completion=False,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        print(version("cuda-dse"))
        raise typer.Exit


@app.callback()
def about(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    """Finds the fastest variant of a CUDA kernel on GPUs you do not have."""


sweeps.add_commands(app)
answers.add_commands(app)
gpus.add_commands(app)
experiments.add_commands(app)
spaces.add_commands(app)
administration.add_commands(app)


def main() -> None:
    """The console script: errors that a user can fix are printed as one message, without a traceback."""
    # At the end the collector would look at everything once more, for half a second.
    atexit.register(gc.freeze)
    try:
        app()
    except ModuleNotFoundError as error:
        if not _is_of_the_service(error):
            raise
        extra = EXTRAS.get((error.name or "").partition(".")[0], "service")
        print(f"error: dse needs {error.name}; install it with: {INSTALL.format(extra)}", file=sys.stderr)
        sys.exit(BAD_INPUT)
    except Exception as error:
        if not _is_refusal(error):
            raise
        print(f"error: {error}", file=sys.stderr)
        sys.exit(BAD_INPUT)


def _is_refusal(error: Exception) -> bool:
    """Whether it is one of `dse.refusals`, which imports the spaces: for most refusals that is not needed."""
    from dse.errors import DseError
    from simcore.errors import SimcoreError

    if isinstance(error, DseError | SimcoreError):
        return True
    from dse.refusals import REFUSALS

    return isinstance(error, REFUSALS)


def _is_of_the_service(error: ModuleNotFoundError) -> bool:
    """Whether the missing module comes with the extra `service` and is not our own."""
    return (error.name or "").partition(".")[0] not in ("", "dse", "search_spaces", "simcore")
