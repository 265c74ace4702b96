"""Does the slice that a prediction executes take the branches, and touch the addresses, of all instructions?

Random programs (`benchmarks.simulator.random_programs`) are executed three times: whole, as for timing and as for
counting. Each warp's path, the instructions with the lanes that are there, and the addresses of its accesses must be
the same; counting knows no addresses.
"""

import argparse
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.simulator.random_programs.__main__ import GPUS
from benchmarks.simulator.random_programs.data import BLOCKS, THREADS, empty, inputs
from benchmarks.simulator.random_programs.generator import cuda, program
from simcore import compile_cuda
from simcore.analysis import slicing
from simcore.core import isa
from simcore.core.execution import blocks, outcomes
from simcore.core.execution.families import run
from simcore.core.execution.step import step
from simcore.core.jit import by_reference, entry, jit
from simcore.core.machine import REPORT_LANES, Machine
from simcore.session.request import LaunchRequest
from simcore.session.session import Session, prepare

PATH, ADDRESSES = range(2)
WARPS = -(-THREADS // isa.LANES)


@jit()  # type: ignore[no-untyped-call, untyped-decorator]
def _mixed(before: Any, word: Any) -> Any:
    """A hash with one more word."""
    mixed = (before ^ np.uint64(word)) * np.uint64(0xFF51_AFD7_ED55_8CCD)
    return mixed ^ mixed >> np.uint64(32)


@entry()
def follow(machine: Any, block_list: Any, warps: Any, waits: Any, hashes: Any) -> None:
    """Run blocks one after the other, and hash what each warp does.

    Args:
        waits: [warp] to work in: whether it waits at the block's barrier, or has ended.
        hashes: [block, warp, PATH or ADDRESSES].
    """
    m = by_reference(machine)
    for i in range(block_list.size):
        blocks.set_block(m, 0, block_list[i])
        for w in range(warps):
            blocks.set_warp(m, w, 0, w)
            waits[w] = outcomes.GO_ON
        ended = 0
        while ended < warps:
            for w in range(warps):
                while waits[w] == outcomes.GO_ON:
                    at, lanes = m.pc[w], m.active[w]
                    hashes[i, w, PATH] = _mixed(_mixed(hashes[i, w, PATH], at), lanes)
                    m.report[REPORT_LANES] = 0
                    outcome = step(m, w)
                    if outcome == outcomes.STOPPED:
                        return
                    if m.code[at].operation >> isa.FAMILY_BITS == isa.MEMORY:
                        for x in range(isa.LANES):
                            if m.report[REPORT_LANES] >> x & 1:
                                hashes[i, w, ADDRESSES] = _mixed(hashes[i, w, ADDRESSES], m.address[x])
                    if outcome == outcomes.ENDED or outcome == outcomes.ARRIVE:
                        waits[w] = outcome
                        ended += outcome == outcomes.ENDED
            for w in range(warps):
                if waits[w] == outcomes.ARRIVE:
                    waits[w] = outcomes.GO_ON


def paths(session: Session, what: slicing.Slice) -> NDArray[np.uint64]:
    """The hashes of `follow` when these instructions are executed."""

    def core(machine: Machine) -> NDArray[np.uint64]:
        hashes = np.zeros((BLOCKS, WARPS, 2), np.uint64)
        run(follow, machine, np.arange(BLOCKS), WARPS, np.zeros(WARPS, np.int64), hashes)
        return hashes

    return session.run(what, WARPS, 1, core)


def differences(seed: int, gpu: str) -> list[str]:
    """How the slices of a program differ from the whole."""
    arguments: list[Any] = [inputs(seed), *empty().arrays]
    cubin = compile_cuda(cuda([program(seed)]), gpu)
    session = prepare(LaunchRequest(cubin=cubin, grid=BLOCKS, block=THREADS, arguments=arguments, gpu=gpu))
    whole = paths(session, slicing.everything)
    timed = paths(session, slicing.for_timing)
    counted = paths(session, slicing.for_counting)
    found = {
        "timing takes another path": (timed != whole)[..., PATH],
        "timing touches other addresses": (timed != whole)[..., ADDRESSES],
        "counting takes another path": (counted != whole)[..., PATH],
    }
    return [f"{what} in {wrong.sum()} of {wrong.size} warps" for what, wrong in found.items() if wrong.any()]


def main() -> None:
    """Compare, and name every program whose slices differ."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--gpu", default=GPUS)
    parser.add_argument("--programs", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1, help="of the first program; the others follow")
    asked = parser.parse_args()
    began, wrong, gpus = perf_counter(), 0, asked.gpu.split(",")
    for seed in range(asked.seed, asked.seed + asked.programs):
        for gpu in gpus:
            found = differences(seed, gpu)
            wrong += bool(found)
            for line in found:
                print(f"program {seed} on {gpu}: {line}", flush=True)
    print(f"{asked.programs} programs on {asked.gpu}: {wrong} differ; {perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()
