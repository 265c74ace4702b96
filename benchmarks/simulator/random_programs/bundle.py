"""Random programs compiled into a folder that a GPU machine runs: `plan.json`, and cubins of many programs each."""

import json
import lzma
from collections.abc import Callable, Iterable
from pathlib import Path
from time import perf_counter
from typing import Any

from benchmarks.simulator.random_programs.generator import cuda, program
from simcore.machine_code.compiler import compile_cuda, compiler_version

PROGRAMS_A_CUBIN = 50


def random_programs(seeds: Iterable[int]) -> str:
    """One source that holds the programs of some seeds."""
    return cuda(map(program, seeds))


def write_bundle(
    folder: Path, first: int, count: int, gpu: str, source: Callable[[Iterable[int]], str] = random_programs
) -> None:
    """Compile the programs of `count` seeds from `first` on; what is there already stays."""
    folder.mkdir(parents=True, exist_ok=True)
    began = perf_counter()
    plan: dict[str, Any] = {"compiler": f"nvrtc {compiler_version()}", "gpu": gpu, "cubins": {}}
    for start in range(first, first + count, PROGRAMS_A_CUBIN):
        seeds = list(range(start, min(start + PROGRAMS_A_CUBIN, first + count)))
        name = f"{seeds[0]}-{seeds[-1]}.cubin.xz"
        if not (folder / name).exists():
            cubin = compile_cuda(source(seeds), gpu)
            (folder / name).write_bytes(lzma.compress(cubin, preset=3))
        plan["cubins"][name] = seeds
        (folder / "plan.json").write_text(json.dumps(plan))
        print(f"{seeds[-1] + 1 - first} of {count} compiled, {perf_counter() - began:.0f} s", flush=True)
    size = sum(file.stat().st_size for file in folder.iterdir())
    print(f"{folder}: {count} programs, {size / 2**20:.1f} MiB")
