"""Runs a program on GPUs in the simulator, and on the host; what comes out must be the same."""

import subprocess
from dataclasses import replace
from functools import cache
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.simulator.random_programs.data import (
    BLOCKS,
    INPUTS,
    OUTPUTS,
    THREADS,
    Outputs,
    Results,
    empty,
    inputs,
)
from benchmarks.simulator.random_programs.generator import Program, cuda
from benchmarks.simulator.random_programs.prelude import BOTH, HOST
from benchmarks.simulator.random_programs.special import FUNCTIONS, too_far_apart
from simcore import compile_cuda
from simcore.execution import execute_prepared
from simcore.session.request import LaunchRequest
from simcore.session.session import prepare

_MAIN = """
int main() {{
    static unsigned in[{inputs}]; static u64 out[{outputs}];
    if (fread(in, 4, {inputs}, stdin) != {inputs}) return 1;
    for (unsigned block = 0; block < {blocks}; ++block)
        for (unsigned t = 0; t < {threads}; ++t) k(in, out, t, block * {threads} + t);
    fwrite(out, 8, {outputs}, stdout);
}}"""


class Ran(NamedTuple):
    """A program executed: what it left, its warp instructions, and whether these are said to be approximate."""

    results: Results
    instructions: int
    unsure: bool


class Surroundings(NamedTuple):
    """What a program must not depend on.

    Attributes:
        found: what registers and shared memory hold when a block starts.
        shift: bytes by which all buffers lie elsewhere.
    """

    found: int | None = None
    shift: int = 0


AS_EVER = Surroundings()


def simulated(program: Program, cubin: bytes, gpu: str, within: Surroundings = AS_EVER) -> Ran:
    """What a program leaves in the simulator."""
    results = empty()
    arguments = [inputs(program.seed), *results.arrays]
    request = LaunchRequest(
        cubin=cubin, kernel=program.name, grid=BLOCKS, block=THREADS, arguments=arguments, gpu=gpu
    )
    session = prepare(request)
    launch = replace(session.launch, first_address=session.launch.first_address + within.shift)
    instructions = execute_prepared(replace(session, launch=launch), within.found)
    return Ran(results, instructions, bool(session.unsure))


def depends_on_surroundings(program: Program, cubin: bytes, gpu: str) -> bool:
    """Whether a program leaves something else where registers, shared memory and addresses are others."""
    surroundings = Surroundings(0, 0), Surroundings(0x3C5A_A5C3, 0x5A5A_0000)
    first, second = (simulated(program, cubin, gpu, within).results for within in surroundings)
    return any(a.tobytes() != b.tobytes() for a, b in zip(first.arrays, second.arrays, strict=True))


@cache
def compiler() -> str | None:
    """The host's C++ compiler, if it has one."""
    return which("g++")


def on_host(program: Program) -> Outputs:
    """What a program without exchanges puts out, thread by thread."""
    source = f"""{HOST}{BOTH}
static void k(const unsigned* in, u64* out, unsigned t, unsigned at) {{
    const unsigned lane = t & 31; (void)lane;
    {program.body}
}}{
        _MAIN.format(
            inputs=THREADS * BLOCKS * INPUTS,
            outputs=THREADS * BLOCKS * OUTPUTS,
            blocks=BLOCKS,
            threads=THREADS,
        )
    }"""
    with TemporaryDirectory() as folder:
        file, binary = Path(folder) / "program.cpp", Path(folder) / "program"
        file.write_text(source)
        options = ["-O1", "-w", "-fwrapv", "-ffp-contract=off", "-std=c++17"]
        subprocess.run([compiler() or "g++", *options, str(file), "-o", str(binary)], check=True)
        ran = subprocess.run(
            [str(binary)], input=inputs(program.seed).tobytes(), capture_output=True, check=True
        )
    return np.frombuffer(ran.stdout, np.uint64).reshape(-1, OUTPUTS)


def differences(program: Program, gpus: list[str]) -> list[str]:
    """The GPUs on which a program leaves other than on the host or, if that cannot run it, on the first of them."""
    results = {gpu: simulated(program, compile_cuda(cuda([program]), gpu), gpu).results for gpu in gpus}
    expected = results[gpus[0]]
    if not program.exchanges and compiler():
        expected = expected._replace(out=on_host(program))
    return [f"{gpu}: {line}" for gpu, result in results.items() for line in unlike(program, result, expected)]


def unlike(program: Program, ours: Results, theirs: Results) -> list[str]:
    """What a program left that it should not, a line a kind."""
    lines = _unequal("outputs", ours.out, theirs.out) + _unequal("cells", ours.cells, theirs.cells)
    function = FUNCTIONS[program.special]
    apart = too_far_apart(function, ours.special, theirs.special)
    for at in np.flatnonzero(apart)[:1]:
        mine, other = float(ours.special[at]).hex(), float(theirs.special[at]).hex()
        lines.append(f"{apart.sum()} of {function.instruction}, the first at {at}: {mine}, not {other}")
    return lines


def _unequal(what: str, ours: NDArray[Any], theirs: NDArray[Any]) -> list[str]:
    wrong = np.argwhere(ours != theirs)
    return [
        f"{len(wrong)} {what}, the first at {' '.join(map(str, first))}: "
        f"{ours[tuple(first)]:#x}, not {theirs[tuple(first)]:#x}"
        for first in wrong[:1]
    ]
