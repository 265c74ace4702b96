"""Evaluation of one point on one GPU: compile, simulate, collect metrics. The same task gives bit-identical metrics.

This code runs on the workers. What only they need of the simulator is an attribute of `simcore`, imported on first use.
"""

import dataclasses
from functools import cache
from time import perf_counter
from typing import TYPE_CHECKING, Any

import simcore
from dse.errors import WrongOutput
from dse.evaluation.machine_code import launch_keywords
from dse.evaluation.notes import cap_in_vain
from dse.evaluation.outputs import check_outputs
from dse.evaluation.sharing import compared_once, profiled_once, simulated_once, simulation_digest
from dse.evaluation.tasks import Outcome, Task
from search_spaces.fields import REGISTER_CAP
from simcore import read_kernel
from simcore.errors import SimcoreError

if TYPE_CHECKING:
    from simcore import Profile, SimulationResult
    from simcore.views.instruction_profile import CodeProfile

__all__ = ["Outcome", "Task", "evaluate", "prepare", "profile_task", "timed_launch"]


@cache
def prepare() -> None:
    """Load the jitted core, once per process; if it must be compiled, one process compiles it and the others wait."""
    simcore.warm_up()


def evaluate(task: Task) -> Outcome:
    """Compile and simulate one point; errors of the simulator become a failed outcome."""
    prepare()
    started = perf_counter()
    try:
        launch = timed_launch(task)
        compiled = perf_counter()
        kernel = read_kernel(launch["cubin"], launch["kernel"])
        digest = simulation_digest(task, launch["cubin"], kernel)
        metrics = simulated_once(digest, lambda: _metrics(_profiled(digest, launch).result))
        compared_once(
            digest, task, check_outputs
        )  # later, since a launch beyond its limit of cycles needs none
    except SimcoreError as error:
        seconds = perf_counter() - started
        return Outcome.of_error(task.point_hash, error, seconds, final=error.is_deterministic)
    except WrongOutput as error:
        return Outcome.of_error(task.point_hash, error, perf_counter() - started, final=True)
    if task.bounds == "error":
        del metrics["reads_out_of_bounds"]
    cap = task.register_cap
    vain = cap_in_vain(cap, kernel) if cap is not None else None
    notes = [f"{REGISTER_CAP}={cap} {vain}."] if vain else []
    return Outcome(
        task.point_hash,
        "complete",
        metrics=metrics | {"code_bytes": len(kernel.code), "advice": [*notes, *metrics["advice"]]},
        compile_s=compiled - started,
        simulate_s=perf_counter() - compiled,
        simulation=digest,
    )


def profile_task(task: Task) -> "CodeProfile":
    """Compile one point again, to profile it; simulate it again if this machine does not know its counts any more.

    Raises:
        SimcoreError: the point cannot be compiled or simulated.
    """
    launch = timed_launch(task)
    cubin, name = launch["cubin"], launch["kernel"]
    digest = simulation_digest(task, cubin, read_kernel(cubin, name))

    def simulated() -> "Profile":
        prepare()
        return simcore.profile(**launch)

    return profiled_once(digest, cubin, name, simulated)


def _profiled(digest: str, launch: dict[str, Any]) -> "Profile":
    """Simulate a launch, and keep what happened at each instruction for whoever asks."""
    profile = simcore.profile(**launch)
    profiled_once(digest, profile.cubin, profile.kernel, lambda: profile)
    return profile


def timed_launch(task: Task) -> dict[str, Any]:
    """The keywords of `simcore.simulate` and `simcore.profile` for a task, which is compiled."""
    cycles = {"cycle_limit": task.limits.cycles} if task.limits.cycles else {}
    return {**launch_keywords(task), "cold": task.cold, **cycles}


def _metrics(result: "SimulationResult") -> dict[str, Any]:
    occupancy = result.occupancy
    metrics = {
        "time_us": result.time_us,
        "time_low_us": result.time_low_us,
        "time_high_us": result.time_high_us,
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
        "occupancy": dataclasses.asdict(occupancy),
        "utilisation": dict(result.utilisation),
        "memory": dict(result.memory),
        "advice": list(result.advice),
        "reads_out_of_bounds": result.reads_out_of_bounds,
    }
    if result.reconvergence != "exact":
        metrics["reconvergence"] = result.reconvergence
    return metrics | {f"stall_{reason}": warps for reason, warps in result.stalls.items()}
