"""A folder that measures variants on a machine with the GPU: machine code, arguments, a plan, and a program to run."""

import hashlib
import json
from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from dse.errors import InputError
from dse.evaluation.contents import DeviceArgument, DeviceBuffer
from dse.evaluation.machine_code import launch_keywords
from dse.evaluation.points import task_for
from dse.store import VariantRecord
from search_spaces import Space
from simcore import Buffer, Struct, compile_cuda, read_kernel

PROGRAM = "measure.py"
#: The fills that the program knows; the contents of other buffers become files.
FILLS = ("zeros", "ones", "uniform", "randint")
#: Keeps the stream busy for some nanoseconds, while launches are queued behind it.
PACER = """
extern "C" __global__ void pacer(long long nanoseconds)
{
    long long begin, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
    do {
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    } while (now - begin < nanoseconds);
}
"""


def write_bundle(space: Space, gpu: str, variants: Iterable[VariantRecord], folder: Path) -> Path:
    """Write the folder for the variants of one GPU; returns the path of the program.

    Raises:
        InputError: the folder is in use or cannot be made, or the space asks for what the program cannot do.
        SimcoreError: a variant cannot be compiled.
    """
    if space.cache == "cold":
        raise InputError(
            f"{space.kernel}: the space starts with cold caches, but launches are measured back to back"
        )
    _make(folder)
    plan = {
        "kernel": space.kernel,
        "gpu": gpu,
        "variants": [_variant(space, gpu, each, folder) for each in variants],
    }
    (folder / "pacer.cubin").write_bytes(compile_cuda(PACER, space.machine(gpu)))
    (folder / "plan.json").write_text(json.dumps(plan, indent=1))
    program = folder / PROGRAM
    program.write_text(files("dse.measuring").joinpath(PROGRAM).read_text())
    return program


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise InputError(f"{folder}: is not empty; name a new folder")
    except OSError as error:
        raise InputError(f"{folder}: cannot be created: {error.strerror}") from error


def _variant(space: Space, gpu: str, variant: VariantRecord, folder: Path) -> dict[str, Any]:
    """A variant in the plan; its machine code and the contents of its buffers become files, equal ones once."""
    launch = launch_keywords(task_for(space, variant.parameters, gpu))
    return {
        "parameters": dict(variant.parameters),
        "predicted_us": variant.score,
        "cubin": _stored(folder, launch["cubin"], "cubin"),
        "function": read_kernel(launch["cubin"], launch["kernel"]).name,
        "grid": _three(launch["grid"]),
        "block": _three(launch["block"]),
        "shared": launch["dynamic_shared_bytes"],
        "arguments": [_argument(folder, argument) for argument in launch["arguments"]],
        "variables": {
            name.removeprefix("::"): _stored(folder, _content(each), "bin")
            for name, each in launch["variables"].items()
        },
    }


def _argument(folder: Path, argument: DeviceArgument) -> dict[str, Any]:
    if isinstance(argument, Buffer) and argument.fill in FILLS and hasattr(np, argument.dtype):
        return {name: getattr(argument, name) for name in ("dtype", "elements", "fill", "seed", "high")}
    if isinstance(argument, Buffer | np.ndarray):
        return {"file": _stored(folder, _content(argument), "bin")}
    if isinstance(argument, Struct):
        pointers = {str(each.offset): _argument(folder, each.buffer) for each in argument.pointers}
        return {"value": argument.content.hex(), "pointers": pointers}
    return {"value": argument.tobytes().hex()}


def _content(argument: DeviceBuffer | np.generic) -> bytes:
    return (argument.materialise() if isinstance(argument, Buffer) else np.asarray(argument)).tobytes()


def _stored(folder: Path, content: bytes, suffix: str) -> str:
    """The name of a file with this content."""
    path = folder / f"{hashlib.sha256(content).hexdigest()[:16]}.{suffix}"
    if not path.exists():
        path.write_bytes(content)
    return path.name


def _three(shape: tuple[int, ...]) -> list[int]:
    return [*shape, 1, 1][:3]
