"""Runs the programs of a bundle on the GPU of this machine, and counts their instructions under Nsight Compute.

`OUT/results.npz` holds, by program: `sums` of what its threads put out, the `cells` of its atomics, the values of its
`special` function. `OUT/whole.npz` holds `out` itself for the first of them; `OUT/counters.json` warp instructions.
"""

import csv
import ctypes
import io
import json
import lzma
import subprocess
import sys
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from cuda.bindings import driver
from numpy.typing import NDArray

from benchmarks.silicon.runner.device import Device, DeviceError, call
from benchmarks.simulator.random_programs.data import BLOCKS, THREADS, Outputs, Results, empty, inputs, sums

METRIC = "smsp__inst_executed.sum"
BENCHMARK = "benchmarks.simulator.random_programs"


def run_bundle(bundle: Path, out: Path, whole: int, seeds: list[int] | None = None) -> None:
    """Launch each program once, or those of some seeds; keep the outputs of the first `whole` as they are."""
    out.mkdir(parents=True, exist_ok=True)
    began, device = perf_counter(), Device(bundle)
    kept: dict[str, list[Any]] = {"seeds": [], "sums": [], "cells": [], "special": []}
    outputs: list[Outputs] = []
    for seed, results in _launches(bundle, seeds):
        kept["seeds"].append(seed)
        kept["sums"].append(sums(results.out))
        kept["cells"].append(results.cells)
        kept["special"].append(results.special)
        if len(outputs) < whole:
            outputs.append(results.out)
        if len(kept["seeds"]) % 1000 == 0:
            print(f"{len(kept['seeds'])} programs, {perf_counter() - began:.0f} s", flush=True)
    _save(out / "results.npz", {name: np.array(values) for name, values in kept.items()})
    _save(out / "whole.npz", {"out": np.array(outputs)})
    (out / "machine.json").write_text(json.dumps(device.description()))
    print(f"{len(kept['seeds'])} programs in {perf_counter() - began:.0f} s")


def _save(file: Path, arrays: dict[str, Any]) -> None:
    np.savez_compressed(file, **arrays)


def count_bundle(bundle: Path, out: Path, programs: int, benchmark: str = BENCHMARK) -> None:
    """Warp instructions of the first programs, from one process of a benchmark's `launch` under the profiler."""
    out.mkdir(parents=True, exist_ok=True)
    found = dict(counted(benchmark, str(bundle), "--programs", str(programs)))
    (out / "counters.json").write_text(json.dumps(found))
    print(f"{len(found)} of {programs} programs counted")


def counted(benchmark: str, *arguments: str) -> list[tuple[str, int]]:
    """The program and the warp instructions of each launch of a benchmark's `launch` under the profiler, in order."""
    command = ["ncu", "--clock-control", "none", "--cache-control", "none", "--metrics", METRIC]
    command += ["--csv", "--page", "raw", "--print-units", "base"]
    command += [sys.executable, "-m", benchmark, "launch", *arguments]
    log = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = [line for line in log.stdout.splitlines() if line.startswith('"')]
    found = [
        (row["Kernel Name"].split("(")[0].removeprefix("k"), int(float(row[METRIC].replace(",", ""))))
        for row in csv.DictReader(io.StringIO("\n".join(lines)))
        if row["ID"].strip()
    ]
    if log.returncode or not found:
        print(log.stdout[-600:], log.stderr[-600:])
    return found


def launch_first(bundle: Path, programs: int) -> None:
    """Launch the first programs, for the profiler to count."""
    Device(bundle)
    for _ in _launches(bundle, first_of(bundle, programs)):
        pass


def first_of(bundle: Path, programs: int) -> set[int]:
    """The seeds of the first programs."""
    return set([seed for seeds in _plan(bundle)["cubins"].values() for seed in seeds][:programs])


def _plan(bundle: Path) -> dict[str, Any]:
    return dict(json.loads((bundle / "plan.json").read_text()))


def launches(
    bundle: Path,
    blocks: int,
    threads: int,
    arrays: Callable[[int], list[NDArray[Any]]],
    only: Collection[int] | None = None,
) -> Iterator[tuple[int, list[NDArray[Any]]]]:
    """Launch the programs of a bundle, or those of some seeds, on the GPU in use.

    Args:
        arrays: the contents of a program's buffers, by its seed; the same sizes for all.

    Yields:
        A program's seed, and what it left in its buffers.
    """
    addresses = [call(driver.cuMemAlloc, array.nbytes) for array in arrays(0)]
    values = [np.array([int(address)], np.uint64) for address in addresses]
    pointers = (ctypes.c_void_p * len(values))(*(value.ctypes.data for value in values))
    for name, seeds in _plan(bundle)["cubins"].items():
        chosen = [seed for seed in seeds if only is None or seed in only]
        if not chosen:
            continue
        module = call(driver.cuModuleLoadData, lzma.decompress((bundle / name).read_bytes()))
        for seed in chosen:
            function = call(driver.cuModuleGetFunction, module, f"k{seed}".encode())
            contents = arrays(seed)
            for address, array in zip(addresses, contents, strict=True):
                call(driver.cuMemcpyHtoD, address, array.ctypes.data, array.nbytes)
            shape = (blocks, 1, 1, threads, 1, 1, 0)
            call(driver.cuLaunchKernel, function, *shape, 0, ctypes.addressof(pointers), 0)
            try:
                call(driver.cuCtxSynchronize)
            except DeviceError as error:
                print(f"program {seed}: {error}; the others are not run")
                return
            for address, array in zip(addresses, contents, strict=True):
                call(driver.cuMemcpyDtoH, array.ctypes.data, address, array.nbytes)
            yield seed, contents
        call(driver.cuModuleUnload, module)


def _launches(bundle: Path, only: Collection[int] | None) -> Iterator[tuple[int, Results]]:
    def arrays(seed: int) -> list[NDArray[Any]]:
        return [inputs(seed), *empty().arrays]

    for seed, (_, *left) in launches(bundle, BLOCKS, THREADS, arrays, only):
        yield seed, Results(*left)
