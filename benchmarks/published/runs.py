"""Timing kernels of `kernels/` on a simulated GPU."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from simcore import Buffer, compile_cuda, simulate

KERNELS = Path(__file__).parent / "kernels"

Argument = np.ndarray | np.generic | Buffer
Defines = tuple[tuple[str, str | int], ...]


@dataclass(frozen=True)
class Took:
    """What some work took.

    Attributes:
        cycles: of the SM's clock.
        time_us: microseconds.
        work: how much was done by the whole GPU: bytes, results, steps of a chain, launches.
        sms: SMs that did it.
    """

    cycles: float
    time_us: float
    work: float
    sms: int = 1


@lru_cache(maxsize=256)
def kernel(name: str, gpu: str, defines: Defines = ()) -> bytes:
    """The cubin of a kernel of `kernels/`."""
    return compile_cuda((KERNELS / f"{name}.cu").read_text(), gpu, dict(defines))


@dataclass(frozen=True)
class Launch:
    """A kernel on a GPU, but for its arguments."""

    gpu: str
    cubin: bytes
    grid: int
    block: int
    cold: bool = False

    def time(self, arguments: Sequence[Argument]) -> tuple[float, float]:
        """Cycles and microseconds of one launch."""
        result = simulate(
            cubin=self.cubin,
            grid=self.grid,
            block=self.block,
            arguments=list(arguments),
            gpu=self.gpu,
            cold=self.cold,
        )
        return result.cycles, result.time_us

    def slope(
        self, arguments: Callable[[int], Sequence[Argument]], few: int, many: int
    ) -> tuple[float, float]:
        """Cycles and microseconds that `many` steps take beyond `few`: without the launch, its start and its end."""
        cycles, time_us = self.time(arguments(few))
        more_cycles, more_time_us = self.time(arguments(many))
        return more_cycles - cycles, more_time_us - time_us
