"""A kernel of the corpus, its launch, and what it must leave."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simcore import UnsupportedInstruction, compile_cuda, execute, simulate
from simcore.errors import SimcoreError

Array = NDArray[Any]

HERE = Path(__file__).parent
GPUS = ("a100-80gb", "h200", "b200", "rtx5090")
"""One for each of sm_80, sm_90, sm_100 and sm_120."""


@dataclass(frozen=True)
class Case:
    """One kernel.

    Attributes:
        kernel: its name in the theme's source.
        arguments: in order; arrays are given to each run afresh.
        expected: what must be in an array afterwards, by its position among the arguments.
        close: the error that floating-point results may have, relative to the greatest of a row of what is expected;
            0 asks for equal bits.
        shared: bytes of dynamic shared memory.
        refused: the GPUs that refuse it, and what the message must say.
        only: the GPUs whose architecture has what it uses.
    """

    kernel: str
    arguments: Sequence[Any]
    expected: Mapping[int, Array]
    grid: int | tuple[int, int] = 1
    block: int = 32
    close: float = 0.0
    shared: int = 0
    refused: Mapping[str, str] = field(default_factory=dict)
    only: tuple[str, ...] = GPUS


def themes() -> list[str]:
    """The names of the corpus's parts: a source and its references each."""
    return sorted(path.stem for path in HERE.glob("*.cu"))


def cases(theme: str) -> list[Case]:
    """The kernels of a theme, with inputs that are always the same."""
    module = import_module(f"{__package__}.{theme}")
    found: list[Case] = module.cases(np.random.default_rng(1))
    return found


def problem(theme: str, case: Case, gpu: str, timed: bool = True) -> str | None:
    """Run a kernel for a GPU's architecture; returns what is wrong, if anything is.

    Args:
        timed: whether to predict its time as well, which must end.
    """
    try:
        cubin = compile_cuda((HERE / f"{theme}.cu").read_text(), gpu, file_name=f"{theme}.cu")
        arguments = [a.copy() if isinstance(a, np.ndarray) else a for a in case.arguments]
        launch: dict[str, Any] = {
            "cubin": cubin,
            "kernel": case.kernel,
            "grid": case.grid,
            "block": case.block,
            "dynamic_shared_bytes": case.shared,
            "gpu": gpu,
        }
        execute(arguments=arguments, **launch)
        if timed and gpu not in case.refused:
            simulate(
                arguments=[a.copy() if isinstance(a, np.ndarray) else a for a in case.arguments], **launch
            )
    except UnsupportedInstruction as error:
        wanted = case.refused.get(gpu)
        named = wanted is not None and wanted in str(error) and error.data["line"] is not None
        return None if named else f"{type(error).__name__}: {error}"
    except SimcoreError as error:
        return f"{type(error).__name__}: {str(error).splitlines()[0]}"
    if gpu in case.refused:
        return "it is not refused"
    for position, wanted_array in case.expected.items():
        difference = _difference(arguments[position], wanted_array, case.close)
        if difference:
            return f"argument {position}: {difference}"
    return None


def _difference(got: Array, wanted: Array, close: float) -> str | None:
    wanted = np.asarray(wanted)
    scale = np.maximum(np.abs(wanted).max(-1, keepdims=True), 1e-30) if close else 0
    scale = np.broadcast_to(scale, wanted.shape).reshape(-1)
    got, wanted = got.reshape(-1), wanted.reshape(-1)
    wanted = wanted.astype(got.dtype) if close == 0 else wanted
    got = got[: wanted.size]
    if close:
        wrong = ~(np.abs(got.astype(np.float64) - wanted) <= close * scale)
    else:
        bits = f"u{got.dtype.itemsize}"
        wrong = got.view(bits) != np.ascontiguousarray(wanted).view(bits)
    if not wrong.any():
        return None
    first = int(np.flatnonzero(wrong)[0])
    return f"{wrong.sum()} of {wrong.size} differ, the first at [{first}]: {got[first]} instead of {wanted[first]}"
