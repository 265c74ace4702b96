"""A kernel and its launch on the command line.

simcore simulate dot.cu --gpu h200 --define UNROLL=4 --grid 264 --block 256
    --arg float32[1048576]:uniform --arg float32[1048576]:uniform --arg float32[264] --arg int32=1048576
"""

import inspect
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer

from simcore.mangling import cpp_name

if TYPE_CHECKING:
    from simcore.gpu import Gpu


@dataclass(frozen=True)
class StatedLaunch:
    """What to simulate.

    Attributes:
        keywords: those of `simcore.simulate`.
        source: the lines of the CUDA file by its name in the line table; empty for a cubin.
        gpu: the GPU as it was named.
        file: of the kernel.
    """

    keywords: dict[str, Any]
    source: dict[str, list[str]]
    gpu: str
    file: Path

    @property
    def title(self) -> str:
        """The kernel as C++ names it, and the GPU."""
        return f"{cpp_name(self.keywords['kernel'])} on {self.gpu}"


def read_launch(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="KERNEL", help="A CUDA source (kernel.cu) or machine code (cubin, fatbin, PTX)."
        ),
    ],
    gpu: Annotated[
        str,
        typer.Option(
            "--gpu", help="A GPU, see `simcore gpus`, or the file of a profile; with overrides: h200,sms=144."
        ),
    ],
    grid: Annotated[str, typer.Option("--grid", help="Blocks: 264, or 16,16, or 16,16,4.")],
    block: Annotated[str, typer.Option("--block", help="Threads per block: 256, or 16,16.")],
    arg: Annotated[
        list[str] | None,
        typer.Option(
            "--arg",
            help="An argument of the kernel; repeat in order. A buffer: float32[1048576], with contents "
            "float32[1048576]:uniform (zeros, ones, iota, uniform, permutation, randint:HIGH, sorted:HIGH, "
            "zipf:HIGH:EXPONENT, constant:VALUE), or a file data.npy. A value: int32=1048576.",
        ),
    ] = None,
    variable: Annotated[
        list[str] | None,
        typer.Option(
            "--variable",
            help="Contents of a __constant__ or __device__ variable, NAME=CONTENTS as of --arg: "
            "taps=float32[4]:constant:0.25, or taps=taps.npy. Default: as in the machine code.",
        ),
    ] = None,
    kernel: Annotated[
        str | None, typer.Option("--kernel", help="Its name, if the file contains several.")
    ] = None,
    shared: Annotated[
        int, typer.Option("--shared", min=0, help="Dynamic shared memory per block, bytes.")
    ] = 0,
    define: Annotated[
        list[str] | None, typer.Option("--define", "-D", help="A macro, NAME=VALUE; sources only.")
    ] = None,
    register_cap: Annotated[
        int | None,
        typer.Option(
            "--register-cap", min=1, max=255, help="Maximum registers per thread; for sources and PTX."
        ),
    ] = None,
    option: Annotated[
        list[str] | None, typer.Option("--option", help="An additional NVRTC option; sources only.")
    ] = None,
    cold: Annotated[bool, typer.Option("--cold", help="Start with empty caches.")] = False,
    bounds: Annotated[
        str, typer.Option("--bounds", help="Of a read beside a buffer: error, or warn, which gives zero.")
    ] = "error",
) -> StatedLaunch:
    """Read the kernel, compile it if needed, and build its launch.

    Raises:
        SimcoreError: names the option and the problem.
    """
    from simcore.cli.arguments import parse_arguments, parse_variables
    from simcore.gpu_profiles import read_gpu
    from simcore.machine_code.cubin import read_kernel

    profile = read_gpu(gpu)
    cubin, source = _machine_code(file, profile, define or [], register_cap, option or [])
    keywords = {
        "cubin": cubin,
        "gpu": profile,
        "kernel": read_kernel(cubin, kernel).name,
        "grid": _dimensions(grid, "--grid"),
        "block": _dimensions(block, "--block"),
        "arguments": parse_arguments(arg or []),
        "variables": parse_variables(variable or []),
        "dynamic_shared_bytes": shared,
        "cold": cold,
        "bounds": bounds,
    }
    return StatedLaunch(keywords, source, gpu, file)


def takes_launch(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of `read_launch` to a command, before its own; the launch becomes its first argument."""
    options = list(inspect.signature(read_launch).parameters.values())
    own = list(inspect.signature(command).parameters.values())[1:]

    def with_launch(**values: Any) -> None:
        launch = read_launch(**{option.name: values.pop(option.name) for option in options})
        _compile_once()
        command(launch, **values)

    return _with_parameters(with_launch, command, [*options, *own])


#: What another launch may have of its own.
OF_ANOTHER = ("gpu", "grid", "block", "kernel", "shared", "define", "register_cap", "option")


def takes_two_launches(command: Callable[..., None]) -> Callable[..., None]:
    """The same for a command with two launches: the second has a file, and those options that begin with --other."""
    options = inspect.signature(read_launch).parameters
    file, *common = options.values()
    others = [_of_another(options[name]) for name in OF_ANOTHER]
    own = list(inspect.signature(command).parameters.values())[2:]
    stated = typer.Argument(metavar="OTHER", help="The same for the second launch.")
    second = file.replace(name="other", annotation=Annotated[Path, stated])

    def with_launches(**values: Any) -> None:
        first = {name: values.pop(name) for name in options}
        changed = {name: values.pop(f"other_{name}") for name in OF_ANOTHER}
        given = {name: value for name, value in changed.items() if value is not None}
        launches = read_launch(**first), read_launch(**{**first, "file": values.pop("other"), **given})
        _compile_once()
        command(*launches, **values)

    return _with_parameters(with_launches, command, [file, second, *common, *others, *own])


def _of_another(option: inspect.Parameter) -> inspect.Parameter:
    """The option `--other-NAME`."""
    kind, _ = get_args(option.annotation)
    stated = typer.Option(f"--other-{option.name.replace('_', '-')}", help="Of OTHER; default: as of KERNEL.")
    return option.replace(
        name=f"other_{option.name}", annotation=Annotated[kind | None, stated], default=None
    )


def _with_parameters(
    called: Callable[..., None], command: Callable[..., None], parameters: Sequence[inspect.Parameter]
) -> Callable[..., None]:
    """A function with these parameters, that is called as the command."""
    keywords = [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in parameters]
    called.__name__, called.__doc__ = command.__name__, command.__doc__
    called.__signature__ = inspect.Signature(keywords)  # type: ignore[attr-defined]
    called.__annotations__ = {each.name: each.annotation for each in keywords}
    return called


def _compile_once() -> None:
    """Compile the core if this installation has not yet, and say so."""
    from simcore.compilation import told
    from simcore.warm import is_compiled, warm_up

    if not is_compiled():
        with told(lambda line: print(line, file=sys.stderr, flush=True)):
            warm_up()


def _machine_code(
    file: Path, gpu: "Gpu", define: list[str], register_cap: int | None, option: list[str]
) -> tuple[bytes, dict[str, list[str]]]:
    """The cubin, compiled if needed, and the source's lines by file name; none for a cubin."""
    from simcore.errors import CompileError, LaunchError
    from simcore.machine_code.binaries import machine_code
    from simcore.machine_code.compiler import compile_cuda, with_macros_to_define
    from simcore.machine_code.cubin import read_cubin

    content = read_cubin(file)
    if content.startswith(b"\x7fELF") or file.suffix in (".fatbin", ".ptx"):
        if define or option:
            raise LaunchError(f"{file} is compiled already: --define and --option are for sources")
        return machine_code(content, gpu, register_cap), {}
    text = content.decode(errors="replace")
    try:
        cubin = compile_cuda(text, gpu, dict(map(_define, define)), register_cap, option, file.name)
    except CompileError as error:
        raise with_macros_to_define(error) from None
    return cubin, {file.name: text.splitlines()}


def _dimensions(word: str, option: str) -> list[int]:
    from simcore.errors import LaunchError

    try:
        return [int(number) for number in word.split(",")]
    except ValueError:
        raise LaunchError(f"{option} {word}: give one to three numbers, as in 264 or 16,16") from None


def _define(word: str) -> tuple[str, str]:
    """A macro's name and value; a name alone means 1, as for any C compiler."""
    name, _, value = word.partition("=")
    return name, value or "1"
