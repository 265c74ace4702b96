"""A kernel and its launch, as they are stated on the command line.

simcore simulate dot.cu --gpu h200 --define UNROLL=4 --grid 264 --block 256
    --arg float32[1048576]:uniform --arg float32[1048576]:uniform --arg float32[264] --arg int32=1048576
"""

import inspect
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from simcore.model.launch import Argument
    from simcore.simulate import SimulateArguments

_BUFFER = re.compile(r"(?P<dtype>\w+)\[(?P<elements>[\d_]+)\](:(?P<fill>\w+)(:(?P<high>[\d_]+))?)?")
_VALUE = re.compile(r"(?P<dtype>\w+)=(?P<value>.+)")


@dataclass(frozen=True)
class StatedLaunch:
    """What to simulate.

    Attributes:
        arguments: of `simcore.simulate`.
        source: the text of the CUDA file by its name in the line table; empty for a cubin.
    """

    arguments: "SimulateArguments"
    source: dict[str, list[str]]


def read_launch(
    file: Annotated[Path, typer.Argument(metavar="KERNEL", help="A CUDA source (kernel.cu) or a cubin.")],
    gpu: Annotated[str, typer.Option("--gpu", help="A profile, as `simcore gpus` lists them.")],
    grid: Annotated[str, typer.Option("--grid", help="Blocks: 264, or 16,16, or 16,16,4.")],
    block: Annotated[str, typer.Option("--block", help="Threads a block: 256, or 16,16.")],
    arg: Annotated[
        list[str] | None,
        typer.Option(
            "--arg",
            help="Each parameter of the kernel, in order. A buffer: float32[1048576], with its contents "
            "float32[1048576]:uniform (zeros, ones, iota, uniform, randint:HIGH), or a file data.npy. "
            "A value: int32=1048576.",
        ),
    ] = None,
    kernel: Annotated[
        str | None, typer.Option("--kernel", help="Its name, when the file holds several.")
    ] = None,
    shared: Annotated[int, typer.Option("--shared", min=0, help="Dynamic shared memory a block, bytes.")] = 0,
    define: Annotated[
        list[str] | None, typer.Option("--define", "-D", help="A macro, NAME=VALUE; of a source.")
    ] = None,
    register_cap: Annotated[
        int | None, typer.Option("--register-cap", min=16, help="Most registers a thread; of a source.")
    ] = None,
    option: Annotated[
        list[str] | None, typer.Option("--option", help="A further option of NVRTC; of a source.")
    ] = None,
    cold: Annotated[bool, typer.Option("--cold", help="Nothing is in the caches.")] = False,
) -> StatedLaunch:
    """Read the kernel, compile it where that is needed, and put its launch together.

    Raises:
        SimcoreError: what is wrong with which option.
    """
    from simcore.errors import LaunchError
    from simcore.machine_code.compiler import compile_cuda
    from simcore.machine_code.cubin import read_cubin

    content = read_cubin(file)
    source: dict[str, list[str]] = {}
    if not content.startswith(b"\x7fELF"):
        text = content.decode(errors="replace")
        source[file.name] = text.splitlines()
        defines = dict(map(_define, define or []))
        content = compile_cuda(text, gpu, defines, register_cap, option or [], file.name)
    elif define or register_cap or option:
        raise LaunchError(
            f"{file} is compiled already: --define, --register-cap and --option are for sources"
        )
    stated: SimulateArguments = {
        "cubin": content,
        "gpu": gpu,
        "kernel": _kernel(content, kernel),
        "grid": _dimensions(grid, "--grid"),
        "block": _dimensions(block, "--block"),
        "arguments": parse_arguments(arg or []),
        "dynamic_shared_bytes": shared,
        "cold": cold,
    }
    return StatedLaunch(stated, source)


def takes_launch(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of `read_launch`, before its own; it gets what they state as its first argument."""
    options = list(inspect.signature(read_launch).parameters.values())
    own = list(inspect.signature(command).parameters.values())[1:]

    def with_launch(**values: Any) -> None:
        launch = read_launch(**{option.name: values.pop(option.name) for option in options})
        command(launch, **values)

    parameters = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in (*options, *own)]
    with_launch.__name__, with_launch.__doc__ = command.__name__, command.__doc__
    with_launch.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    with_launch.__annotations__ = {p.name: p.annotation for p in parameters}
    return with_launch


def parse_arguments(words: Sequence[str]) -> list["Argument"]:
    """Kernel arguments from `dtype[elements]:fill`, `file.npy` and `dtype=value`; random fills differ by position."""
    return [_argument(word, position) for position, word in enumerate(words)]


def _argument(word: str, position: int) -> "Argument":
    from simcore.errors import LaunchError
    from simcore.model.launch import Buffer

    if word.endswith(".npy"):
        return _array(word)
    if stated := _BUFFER.fullmatch(word):
        fill, high = stated["fill"] or "zeros", int(stated["high"] or 0)
        if (fill == "randint") != bool(high):
            raise LaunchError(
                f"--arg {word}: say randint:HIGH, as in int32[1000]:randint:50, and HIGH there alone"
            )
        buffer = Buffer(_dtype(stated["dtype"], word), int(stated["elements"]), fill, position, high)
        Buffer(buffer.dtype, 1, fill, position, high).materialise()  # an unknown fill is refused here
        return buffer
    if stated := _VALUE.fullmatch(word):
        return _value(_dtype(stated["dtype"], word), stated["value"], word)
    raise LaunchError(
        f"--arg {word}: state a buffer as float32[1024] or float32[1024]:uniform or data.npy, "
        "a value as int32=1024"
    )


def _array(file: str) -> "Argument":
    import numpy as np

    from simcore.errors import LaunchError

    try:
        array: Argument = np.load(file, allow_pickle=False)
    except (OSError, ValueError) as error:
        raise LaunchError(f"--arg {file}: {error}") from None
    return array


def _value(dtype: str, value: str, word: str) -> "Argument":
    import numpy as np

    from simcore.errors import LaunchError

    kind = np.dtype(dtype)
    try:
        scalar: np.generic = kind.type(int(value, 0) if kind.kind in "iub" else float(value))
    except (ValueError, OverflowError):
        raise LaunchError(f"--arg {word}: {value} is no {dtype}") from None
    return scalar


def _dtype(name: str, word: str) -> str:
    import numpy as np

    from simcore.errors import LaunchError

    try:
        return np.dtype(name).name
    except TypeError:
        raise LaunchError(
            f"--arg {word}: no such type {name}; use numpy's names: float32, float64, float16, int32, uint64, ..."
        ) from None


def _dimensions(word: str, option: str) -> list[int]:
    from simcore.errors import LaunchError

    try:
        return [int(number) for number in word.split(",")]
    except ValueError:
        raise LaunchError(f"{option} {word}: give one to three numbers, as in 264 or 16,16") from None


def _define(word: str) -> tuple[str, str]:
    """A macro's name and value; a name alone stands for 1, as for any C compiler."""
    name, _, value = word.partition("=")
    return name, value or "1"


def _kernel(cubin: bytes, name: str | None) -> str:
    """The kernel's name in the cubin: C++ spells a function `f` as `_Z1f...`."""
    from simcore.machine_code.cubin import kernel_names, read_kernel

    mangled = [known for known in kernel_names(cubin) if name and f"{len(name)}{name}" in known]
    return read_kernel(cubin, mangled[0] if len(mangled) == 1 else name).name
