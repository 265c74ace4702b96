"""Executes the programs of a bundle in the simulator, and compares with what a GPU left."""

import json
import lzma
from collections.abc import Iterator, Set
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.simulator.random_programs.comparison import Ran, depends_on_surroundings, simulated, unlike
from benchmarks.simulator.random_programs.data import BLOCKS, THREADS, Results, Words, sums
from benchmarks.simulator.random_programs.generator import Program, program
from simcore import SimcoreError
from simcore.gpu_profiles import load_gpu
from simcore.machine_code.cubin import read_kernel
from simcore.machine_code.sass import decode

MEASURED = "sm_90"
"""The architecture whose GPUs ran the programs; others must leave the same, by other instructions."""


APPROXIMATE = "said to be approximate: "
"""Before what differs of a program whose reconvergence is not modelled exactly."""

Compared = tuple[int, list[str] | None]
"""A program's seed, and what differs of it."""


class Silicon(NamedTuple):
    """What a GPU left of some programs, in the order of their seeds.

    Attributes:
        sums, cells, special: as `benchmarks.simulator.random_programs.silicon` keeps them.
        out: what the first programs put out.
        counted: warp instructions by seed.
    """

    seeds: list[int]
    sums: Words
    cells: Words
    special: np.ndarray[Any, Any]
    out: np.ndarray[Any, Any]
    counted: dict[int, int]


def read(folder: Path) -> Silicon:
    """The files of a run."""
    results, whole, counters = np.load(folder / "results.npz"), folder / "whole.npz", folder / "counters.json"
    counted = json.loads(counters.read_text()) if counters.exists() else {}
    return Silicon(
        results["seeds"].tolist(),
        results["sums"],
        results["cells"],
        results["special"],
        np.load(whole)["out"] if whole.exists() else np.zeros(0, np.uint64),
        {int(seed): number for seed, number in counted.items()},
    )


def compare(bundle: Path, out: Path, jobs: int, but: Set[int] = frozenset()) -> Iterator[Compared]:
    """Each program's seed, and what differs of it; None if it computes with what it never wrote, or with addresses.

    `but` names the seeds that are left out.

    That shows when it runs again, from other registers and shared memory and with its buffers elsewhere. The compiler
    leaves the upper half of some words undefined; and where a warp came apart, a part of it may read shared memory
    that the rest has not written yet.
    """
    plan, silicon = json.loads((bundle / "plan.json").read_text()), read(out)
    if load_gpu(plan["gpu"]).architecture != MEASURED:
        silicon = silicon._replace(counted={})
    ran = set(silicon.seeds) - but
    parts = [
        (bundle / name, [seed for seed in seeds if seed in ran]) for name, seeds in plan["cubins"].items()
    ]
    with ProcessPoolExecutor(jobs) as pool:
        for found in pool.map(
            _compare_cubin, *zip(*parts, strict=True), repeat(plan["gpu"]), repeat(silicon)
        ):
            yield from found


def _compare_cubin(file: Path, seeds: list[int], gpu: str, silicon: Silicon) -> list[Compared]:
    cubin = lzma.decompress(file.read_bytes())
    _disassemble(cubin, seeds)
    return [(seed, _compare_one(program(seed), cubin, gpu, silicon)) for seed in seeds]


def _compare_one(program: Program, cubin: bytes, gpu: str, silicon: Silicon) -> list[str] | None:
    try:
        ran = simulated(program, cubin, gpu)
        lines = [
            f"{APPROXIMATE if ran.unsure else ''}{line}" for line in differences(program.seed, ran, silicon)
        ]
        return None if lines and depends_on_surroundings(program, cubin, gpu) else lines
    except SimcoreError as error:
        return [f"{type(error).__name__}: {error}"]


def _disassemble(cubin: bytes, seeds: list[int]) -> None:
    """Have the instructions of all programs in the disassembler's cache: one call of it takes as long as another."""
    kernels = [read_kernel(cubin, f"k{seed}") for seed in seeds]
    code = b"".join(kernel.code for kernel in kernels)
    if kernels:
        decode(code, kernels[0].architecture)


def differences(seed: int, ran: Ran, silicon: Silicon) -> list[str]:
    """What differs of one program."""
    at = silicon.seeds.index(seed)
    ours = ran.results
    known = at < len(silicon.out)
    theirs = Results(silicon.out[at] if known else ours.out, silicon.cells[at], silicon.special[at])
    lines = unlike(program(seed), ours, theirs)
    if not known:
        lines += _of_sums(sums(ours.out), silicon.sums[at], ours)
    counted = silicon.counted.get(seed, ran.instructions)
    if counted != ran.instructions:
        lines.append(f"{ran.instructions} warp instructions, not {counted}")
    return lines


def _of_sums(ours: Words, theirs: Words, results: Results) -> list[str]:
    """Threads and variables whose sums differ, with our value where the first of each cross."""
    wrong = np.flatnonzero(ours != theirs)
    threads, variables = wrong[wrong < THREADS * BLOCKS], wrong[wrong >= THREADS * BLOCKS] - THREADS * BLOCKS
    if not len(wrong):
        return []
    value = f"{results.out[threads[0], variables[0]]:#x}" if len(threads) and len(variables) else "?"
    return [
        f"outputs of {len(threads)} threads from {threads[:1]}, variables {variables}: {value} is wrong in the first"
    ]
