"""Runs a program on GPUs in the simulator, and on the host; what comes out must be the same."""

import subprocess
from functools import cache
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray

from benchmarks.simulator.random_programs.generator import (
    ATOMICS,
    BLOCKS,
    CELLS,
    INPUTS,
    OUTPUTS,
    THREADS,
    Program,
)
from benchmarks.simulator.random_programs.prelude import BOTH, HOST
from simcore import compile_cuda, execute

Words = NDArray[np.uint64]

_CORNERS = np.array([0, 1, 2, 31, 255, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF], np.uint32)

_MAIN = """
int main() {{
    static unsigned in[{inputs}], cells[1]; static u64 out[{outputs}];
    if (fread(in, 4, {inputs}, stdin) != {inputs}) return 1;
    for (unsigned block = 0; block < {blocks}; ++block)
        for (unsigned t = 0; t < {threads}; ++t) k(in, out, cells, t, block * {threads} + t);
    fwrite(out, 8, {outputs}, stdout);
}}"""


def inputs(seed: int) -> NDArray[np.uint32]:
    """What the program of a seed reads: random words, with corner cases and small numbers among them."""
    random = np.random.default_rng(seed)
    count = THREADS * BLOCKS * INPUTS
    words = random.integers(0, 1 << 32, count, np.uint32) >> random.choice([0, 0, 8, 24], count).astype(
        np.uint32
    )
    return np.where(random.random(count) < 0.15, random.choice(_CORNERS, count), words).astype(np.uint32)


def on_gpu(program: Program, gpu: str) -> Words:
    """What a program puts out in the simulator, and the words that its atomics leave."""
    out = np.zeros(THREADS * BLOCKS * OUTPUTS, np.uint64)
    cells = np.arange(len(ATOMICS) * CELLS, dtype=np.uint32) * np.uint32(0x9E37_79B9)
    cubin = compile_cuda(program.cuda, gpu)
    execute(cubin=cubin, grid=BLOCKS, block=THREADS, arguments=[inputs(program.seed), out, cells], gpu=gpu)
    return np.concatenate([out, cells.astype(np.uint64)])


@cache
def compiler() -> str | None:
    """The host's C++ compiler, if it has one."""
    return which("g++")


def on_host(program: Program) -> Words:
    """What a program without exchanges puts out, thread by thread."""
    source = f"""{HOST}{BOTH}
static void k(const unsigned* in, u64* out, unsigned* cells, unsigned t, unsigned at) {{
    const unsigned lane = t & 31; (void)lane; (void)cells;
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
    return np.frombuffer(ran.stdout, np.uint64)


def differences(program: Program, gpus: list[str]) -> list[str]:
    """The GPUs on which a program puts out other than on the host or, if that cannot run it, on the first of them."""
    results = {gpu: on_gpu(program, gpu) for gpu in gpus}
    expected = results[gpus[0]]
    count = len(expected)
    if not program.exchanges and compiler():
        host = on_host(program)
        expected, count = host, len(host)
    wrong = []
    for gpu, result in results.items():
        places = np.flatnonzero(result[:count] != expected)
        if len(places):
            first = int(places[0])
            wrong.append(
                f"{gpu}: {len(places)} words, the first at {first}: {result[first]:#x}, not {expected[first]:#x}"
            )
    return wrong
