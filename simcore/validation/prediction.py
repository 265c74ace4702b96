"""Predict measured launches in parallel processes."""

import multiprocessing
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass

from simcore.errors import SimcoreError
from simcore.gpu import Gpu
from simcore.simulation import simulate
from simcore.validation.measurement import Measurement
from simcore.warm import warm_up


@dataclass(frozen=True)
class Prediction:
    """One launch, measured and predicted. Comparisons without a measured value are None.

    Attributes:
        measurement: what the GPU did.
        time_us: predicted time of one of many back-to-back launches, in microseconds.
        theoretical_occupancy, achieved_occupancy: as predicted.
        utilisation: of each unit, as predicted.
        same_instructions: whether executed warp instructions are equal.
        same_registers: whether registers per thread are equal.
        same_blocks: whether blocks per SM are equal.
        same_stall: whether the dominant stall is Nsight's, or within 5 % of Nsight's largest.
    """

    measurement: Measurement
    time_us: float
    theoretical_occupancy: float
    achieved_occupancy: float
    utilisation: Mapping[str, float]
    same_instructions: bool | None
    same_registers: bool | None
    same_blocks: bool | None
    same_stall: bool | None

    @property
    def error(self) -> float:
        """Predicted time divided by measured time, minus one."""
        return self.time_us / self.measurement.time_us - 1.0


@dataclass(frozen=True)
class Refusal:
    """A launch that the simulator does not predict, and why."""

    measurement: Measurement
    reason: str


def predict(measurement: Measurement, gpu: str | Gpu) -> Prediction | Refusal:
    """Compile and simulate one paired measurement."""
    assert measurement.recipe is not None, "pair measurements with code first"
    try:
        result = simulate(**measurement.recipe.launch(gpu))
    except SimcoreError as error:
        return Refusal(measurement, f"{type(error).__name__}: {error}")
    executed, stalls = measurement.warp_instructions, measurement.dominant_stalls
    return Prediction(
        measurement=measurement,
        time_us=result.time_us,
        theoretical_occupancy=result.occupancy.theoretical,
        achieved_occupancy=result.achieved_occupancy,
        utilisation=result.utilisation,
        same_instructions=_same(executed, result.warp_instructions),
        same_registers=_same(measurement.registers, result.registers_per_thread),
        same_blocks=_same(measurement.blocks_per_sm, result.occupancy.blocks_per_sm),
        same_stall=result.bottleneck in stalls if stalls else None,
    )


def predict_all(
    measurements: Sequence[Measurement], gpu: str | Gpu, jobs: int
) -> Iterator[Prediction | Refusal]:
    """Predict many in `jobs` processes; yields each when it is done, in no particular order."""
    warm_up()
    if jobs == 1:
        yield from (predict(m, gpu) for m in measurements)
        return
    with ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"), initializer=warm_up) as pool:
        try:
            for future in as_completed([pool.submit(predict, m, gpu) for m in measurements]):
                yield future.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _same(measured: int | None, predicted: int) -> bool | None:
    return None if measured is None else measured == predicted
