"""Evaluation of one point on one GPU: compile, simulate, collect metrics. The same task gives bit-identical metrics.

This code runs on the workers. What only they need of the simulator is an attribute of `simcore`, imported on first use.
"""

import dataclasses
from functools import cache
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

import simcore
from dse.evaluation.tasks import Outcome, Task
from simcore import Buffer, Gpu, check_launch, compile_cuda, load_gpu
from simcore.errors import SimcoreError

if TYPE_CHECKING:
    from search_spaces import Argument, Launch
    from simcore import Profile, SimulationResult

__all__ = [
    "Outcome",
    "Task",
    "check_task_launch",
    "compile_task",
    "device_arguments",
    "evaluate",
    "prepare",
    "profile_task",
]


@cache
def prepare() -> None:
    """Load the jitted core, once per process; if it must be compiled, one process compiles it and the others wait."""
    simcore.warm_up()


def evaluate(task: Task) -> Outcome:
    """Compile and simulate one point; errors of the simulator become a failed outcome."""
    prepare()
    started = perf_counter()
    try:
        launch = _launch(task)
        compiled = perf_counter()
        result = simcore.simulate(**launch)
    except SimcoreError as error:
        seconds = perf_counter() - started
        return Outcome.of_error(task.point_hash, error, seconds, final=error.is_deterministic)
    return Outcome(
        task.point_hash,
        "complete",
        metrics=_metrics(result),
        compile_s=compiled - started,
        simulate_s=perf_counter() - compiled,
    )


def profile_task(task: Task) -> "Profile":
    """Compile and simulate one point again, to profile it.

    Raises:
        SimcoreError: the point cannot be compiled or simulated.
    """
    prepare()
    return simcore.profile(**_launch(task))


def _launch(task: Task) -> dict[str, Any]:
    """The compiled task, as keywords of `simulate`."""
    gpu, launch = load_gpu(task.gpu), task.launch
    check_task_launch(launch, gpu)
    return {
        "cubin": compile_task(task),
        "kernel": task.kernel,
        "grid": launch.grid,
        "block": launch.block,
        "arguments": device_arguments(task.arguments),
        "gpu": gpu,
        "dynamic_shared_bytes": launch.dynamic_shared_bytes,
    }


def check_task_launch(launch: "Launch", gpu: Gpu) -> None:
    """Raise LaunchError if the launch alone, before compilation, exceeds a limit of the GPU."""
    check_launch(gpu, launch.block, launch.grid, dynamic_shared_bytes=launch.dynamic_shared_bytes)


def compile_task(task: Task) -> bytes:
    """The task's machine code, from the compiler or its cache."""
    return compile_cuda(
        task.source,
        task.gpu,
        task.defines,
        task.register_cap,
        file_name=task.file_name,
        headers=task.headers,
    )


def device_arguments(arguments: "tuple[Argument, ...]") -> list[np.generic | Buffer]:
    """A space's arguments in the simulator's form; each buffer is filled with its own seed."""
    return [_device_argument(argument, seed) for seed, argument in enumerate(arguments)]


def _device_argument(argument: "Argument", seed: int) -> np.generic | Buffer:
    if argument.kind == "value":
        scalar: np.generic = np.dtype(argument.dtype).type(argument.value)
        return scalar
    return Buffer(
        argument.dtype,
        argument.elements or 0,
        fill=argument.fill or "zeros",
        seed=seed,
        high=argument.high or 0,
    )


def _metrics(result: "SimulationResult") -> dict[str, Any]:
    occupancy = result.occupancy
    metrics = {
        "time_us": result.time_us,
        "cycles": result.cycles,
        "warp_instructions": result.warp_instructions,
        "ipc": result.ipc,
        "issue_active": result.issue_active,
        "achieved_occupancy": result.achieved_occupancy,
        "theoretical_occupancy": occupancy.theoretical,
        "blocks_per_sm": occupancy.blocks_per_sm,
        "registers_per_thread": result.registers_per_thread,
        "local_bytes_per_thread": result.local_bytes_per_thread,
        "shared_bytes_per_block": result.shared_bytes_per_block,
        "dram_bytes": result.dram_bytes,
        "l2_bytes": result.l2_bytes,
        "regime": result.regime,
        "bottleneck": result.bottleneck,
        "label": result.label,
        "advice": list(result.advice),
        "occupancy": dataclasses.asdict(occupancy),
        "utilisation": dict(result.utilisation),
    }
    return metrics | {f"stall_{reason}": warps for reason, warps in result.stalls.items()}
