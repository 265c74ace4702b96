"""Commands for spaces: check one, those stored on a server, the format."""

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from dse.cli.options import (
    FAILED,
    Gpus,
    ProblemGpus,
    Server,
    Settings,
    Token,
    Trials,
    gpus,
    open_client,
    parse_settings,
)

Name = Annotated[str, typer.Argument(help="A name listed by `dse spaces`.")]

space_app = typer.Typer(
    help="Check a space; manage those stored on a server; print the format of a space.", no_args_is_help=True
)


def add_commands(app: typer.Typer) -> None:
    """Register the commands of this module."""
    app.add_typer(space_app, name="space")


@space_app.command()
def check(
    space: Annotated[str, typer.Argument(help="A name of the catalog, a folder or a space.yaml.")],
    gpu: Gpus = None,
    trials: Trials = None,
    set_: Settings = None,
) -> None:
    """Check a space as `dse run` does before any work, compile a point of each value, and say how long a run takes.

    With --gpu, --set and --trials, the run with these. Nothing is stored. The exit code is 1 if no point that was
    tried can be evaluated.
    """
    from dse.cli.terminal.forecast import failures_in_words, in_words
    from dse.errors import InputError
    from dse.evaluation.forecast import forecast
    from dse.evaluation.notes import notes
    from dse.requests.preflight import check_space, check_values, resolve_space
    from dse.requests.request import Request, checked
    from dse.requests.spaces import SpaceOutline, space_argument
    from simcore.compilation import told
    from simcore.errors import SimcoreError

    try:
        asked = {"gpus": gpus(gpu) or (), "trials": trials, "parameters": parse_settings(set_ or ())}
        loaded = resolve_space(checked(Request, space=space_argument(space), **asked))
        check_space(loaded)
        check_values(loaded)
    except (InputError, SimcoreError) as error:
        raise InputError(f"{space}: {error}") from error
    found = SpaceOutline.of(loaded)
    on_all = None if found.points is None else found.points * len(found.gpus)
    evaluated = min((each for each in (on_all, trials) if each is not None), default=None)
    points = f"{found.points:,} points" if found.points is not None else "too many points to count"
    print(f"{space}: a valid space of {found.kernel}, {points} on {', '.join(found.gpus)}")
    for note in notes(loaded):
        print(f"note: {note}")
    sys.stdout.flush()
    print("evaluating a few points to say how long a run takes", file=sys.stderr)
    with told(lambda line: print(line, file=sys.stderr)):
        expected, failures = forecast(loaded, evaluated)
    if expected and failures:
        print(f"note: {failures_in_words(failures, expected.tried + len(failures))}")
    if expected:
        print(in_words(expected, len(os.sched_getaffinity(0))))
    elif failures:
        print(failures_in_words(failures, len(failures)), file=sys.stderr)
        raise typer.Exit(FAILED)


@space_app.command("import")
def import_(
    path: Annotated[
        Path, typer.Argument(metavar="FILE", help="A tuning problem in T1, as Kernel Tuner reads it.")
    ],
    folder: Annotated[
        Path | None, typer.Argument(help="Target folder; default: a new folder named after the file.")
    ] = None,
    gpu: ProblemGpus = None,
) -> None:
    """Write another tuner's problem as a space: its parameters, restrictions, launch, arguments and source."""
    from dse.cli.terminal.output import command
    from dse.errors import InputError
    from search_spaces.tuning_problem import read_problem
    from simcore.validation import profile_of

    problem = read_problem(path)
    named = profile_of(problem.device)
    asked = gpus(gpu) or ([named] if named else [])
    if not asked:
        says = f"names the GPU {problem.device!r}, which has no profile" if problem.device else "names no GPU"
        raise InputError(f"{path}: {says}; choose with --gpu, for example --gpu h100-sxm")
    target = folder or Path(path.stem)
    space = problem.write_space(target, asked)
    print(f"{target}: {space.count()} points of {space.kernel} on {', '.join(asked)}")
    check, run = command(f"dse space check {target}"), command(f"dse run {target}")
    print(f"`{check}` says how long a run takes, `{run}` explores it")


@space_app.command()
def upload(
    space: Annotated[str, typer.Argument(help="A folder or a space.yaml.")],
    name: Annotated[
        str | None, typer.Option("--name", help="Name of the stored space; default: the name of the kernel.")
    ] = None,
    server: Server = None,
    token: Token = None,
) -> None:
    """Store a space on the server, so that all users can submit it by name."""
    from dse.cli.terminal.output import command

    saved = open_client(server, token).upload_space(space, name)
    points = "too many points to count" if saved.points is None else f"{saved.points} points"
    print(f"space {saved.name} is stored: {points}; `{command(f'dse submit {saved.name}')}` explores it")


@space_app.command()
def download(
    name: Name,
    folder: Annotated[
        Path | None, typer.Argument(help="Target folder; default: a new folder named after the space.")
    ] = None,
    server: Server = None,
    token: Token = None,
) -> None:
    """Copy the files of an uploaded or a catalog space, for example as a starting point."""
    from dse.cli.terminal.output import command

    path = open_client(server, token).download_space(name, folder or name)
    print(f"{path} and its kernel are ready to edit; `{command(f'dse run {path}')}` explores the space")


@space_app.command()
def schema() -> None:
    """Print the JSON Schema of a space.yaml, for editors."""
    import json

    from search_spaces.json_schema import space_schema

    print(json.dumps(space_schema(), indent=2))


@space_app.command()
def delete(name: Name, server: Server = None, token: Token = None) -> None:
    """Delete an uploaded space; sweeps that use it keep their copy."""
    open_client(server, token).delete_space(name)
    print(f"space {name} is deleted")
