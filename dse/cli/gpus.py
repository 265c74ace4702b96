"""Commands about GPUs themselves: profiles, occupancy, and what a trial's time depends on."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dse.cli.options import AnyGpus, Format, Server, SweepId, Token, Workers, open_client
from dse.cli.terminal.output import Output

if TYPE_CHECKING:
    from dse.client import Client


def add_commands(app: typer.Typer) -> None:
    """Register the commands of this module."""
    for command in (gpus, occupancy, sensitivity):
        app.command()(command)


def gpus(
    which: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[GPU... | check FILE | upload FILE | delete NAME]",
            help="Show every number of these GPUs, with unit and source; check a profile of your own; store it on the "
            "server under its name, or delete it there.",
        ),
    ] = None,
    diff: Annotated[bool, typer.Option("--diff", help="Show the numbers in which the GPUs differ.")] = False,
    server: Server = None,
    token: Token = None,
    output: Format = Output.TABLE,
) -> None:
    """List the GPU profiles, show one with the source of each number, compare several, check or store a file."""
    from dataclasses import asdict

    from dse.cli.terminal.hardware import check_lines, difference_rows, field_rows, folded, summary_rows
    from dse.cli.terminal.output import print_rows
    from dse.errors import InputError
    from dse.service.records import HMMA_NOTE
    from simcore.gpu_overrides import split_gpus
    from simcore.gpu_profiles import read_gpu

    if which and which[0] == "check":
        for path in which[1:] or _refuse("dse gpus check: give the file of a profile"):
            print(check_lines(Path(path)))
        return
    if which and which[0] in ("upload", "delete"):
        _change(
            which[0], which[1:] or _refuse(f"dse gpus {which[0]}: give a profile"), open_client(server, token)
        )
        return
    texts = split_gpus(",".join(which or ()))
    named = [read_gpu(text) for text in texts]
    if diff and len(named) < 2:
        raise InputError("dse gpus --diff: give at least two GPUs, as in `dse gpus --diff h100-sxm h200`")
    if not named:
        known = open_client(server, token).gpus()
        rows = summary_rows(known) if output is Output.TABLE else [asdict(gpu) for gpu in known]
        print_rows(rows, output)
        if output is Output.TABLE:
            print(f"\n{HMMA_NOTE}")
    elif diff:
        rows = difference_rows(dict(zip(texts, named, strict=True)))
        print_rows(folded(rows) if output is Output.TABLE else rows, output)
    else:
        print_rows([row for gpu in named for row in field_rows(gpu)], output)


def occupancy(
    kernel: Annotated[
        Path | None,
        typer.Argument(help="A CUDA source or a cubin, from which registers and shared memory are read."),
    ] = None,
    gpu: AnyGpus = None,
    registers: Annotated[
        int | None,
        typer.Option(
            "--registers", min=0, max=255, help="Registers per thread; default: the kernel's, or 32."
        ),
    ] = None,
    block: Annotated[int, typer.Option("--block", min=1, max=1024, help="Threads per block.")] = 256,
    shared: Annotated[
        int,
        typer.Option("--shared", min=0, help="Shared memory per block in bytes, in addition to a kernel's."),
    ] = 0,
    define: Annotated[
        list[str] | None, typer.Option("--define", "-D", help="A macro for the kernel, NAME=VALUE.")
    ] = None,
    output: Format = Output.TABLE,
) -> None:
    """Calculate the blocks and warps that fit on an SM, what limits them, and what one more register costs.

    For one GPU with curves over block size, registers and shared memory; for several, or all, beside each other.
    """
    from dse.cli.terminal.hardware import needs_of_kernel, occupancy_rows, print_occupancy
    from dse.cli.terminal.output import print_rows
    from simcore.gpu_overrides import split_gpus
    from simcore.gpu_profiles import gpu_names, read_gpu

    asked = split_gpus(",".join(gpu or ()))
    needs = {
        text: needs_of_kernel(kernel, read_gpu(text), define or [], block, registers, shared)
        for text in asked or gpu_names()
    }
    if output is Output.TABLE and len(asked) == 1:
        print_occupancy(asked[0], read_gpu(asked[0]), needs[asked[0]])
    else:
        print_rows(occupancy_rows({text: (read_gpu(text), need) for text, need in needs.items()}), output)


def sensitivity(
    sweep: SweepId,
    trial: Annotated[
        int | None, typer.Argument(help="Number of a trial; default: the best of the first GPU.")
    ] = None,
    by: Annotated[float, typer.Option("--by", min=0.1, max=90.0, help="Per cent up and down.")] = 10.0,
    field: Annotated[
        list[str] | None, typer.Option("--field", help="Only this number of the GPU, such as l2_bytes.")
    ] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, help="Maximum number of rows of a table.")] = 15,
    workers: Workers = None,
    server: Server = None,
    token: Token = None,
    output: Format = Output.TABLE,
) -> None:
    """Vary each number of a trial's GPU up and down, and show how its time changes: what binds it, by experiment."""
    from dse.cli.terminal.counting import counting
    from dse.cli.terminal.hardware import print_sensitivity
    from dse.cli.terminal.output import print_rows

    asked = open_client(server, token).sweep(sweep)
    with counting("simulating on GPUs that differ in one number") as tell:
        found = asked.sensitivity(trial, by / 100, field or (), workers, tell)
    if output is Output.TABLE:
        print_sensitivity(found, limit)
    else:
        print_rows(found.rows(), output)


def _change(verb: str, names: list[str], client: "Client") -> None:
    from dse.cli.terminal.output import command

    for name in names:
        if verb == "delete":
            client.delete_gpu(name)
            print(f"GPU {name} is deleted")
        else:
            saved = client.upload_gpu(name)
            used = command(f"dse submit SPACE --gpu {saved.name}")
            print(f"GPU {saved.name} is stored: {saved.words}; `{used}` uses it")


def _refuse(message: str) -> list[str]:
    from dse.errors import InputError

    raise InputError(message)
