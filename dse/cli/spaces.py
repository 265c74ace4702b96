"""Commands for the spaces that a team keeps at its server."""

from pathlib import Path
from typing import Annotated

import typer

from dse.cli.options import Server, Token, open_client

Name = Annotated[str, typer.Argument(help="As `dse spaces` shows it.")]

space_app = typer.Typer(help="Spaces that everybody's sweeps can name.", no_args_is_help=True)


def add_commands(app: typer.Typer) -> None:
    """The commands of this module."""
    app.add_typer(space_app, name="space")


@space_app.command()
def upload(
    space: Annotated[str, typer.Argument(help="A folder, or the path of a space.yaml.")],
    name: Annotated[
        str | None, typer.Option("--name", help="What sweeps call it; default: the kernel's name.")
    ] = None,
    server: Server = None,
    token: Token = None,
) -> None:
    """Keep a space at the server, so that everybody's sweeps can name it."""
    from dse.cli.terminal.output import command

    saved = open_client(server, token).upload_space(space, name)
    points = "too many points to count" if saved.points is None else f"{saved.points} points"
    print(f"space {saved.name} is kept: {points}; `{command(f'dse submit {saved.name}')}` explores it")


@space_app.command()
def download(
    name: Name,
    folder: Annotated[
        Path | None, typer.Argument(help="Where to; default: a new folder of the space's name.")
    ] = None,
    server: Server = None,
    token: Token = None,
) -> None:
    """Write a space's files, of the catalog's too, to read them or to begin your own with."""
    from dse.cli.terminal.output import command

    path = open_client(server, token).download_space(name, folder or name)
    print(f"{path} and its kernel are yours to change; `{command(f'dse run {path}')}` explores them")


@space_app.command()
def delete(name: Name, server: Server = None, token: Token = None) -> None:
    """Forget an uploaded space; sweeps that named it keep its texts."""
    open_client(server, token).delete_space(name)
    print(f"space {name} is deleted")
