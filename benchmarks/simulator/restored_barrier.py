"""Whose word a convergence barrier takes when BMOV restores it from a register in which lanes hold different words.

    python -m benchmarks.simulator.restored_barrier bundle BUNDLE   # no GPU needed
    python -m benchmarks.simulator.restored_barrier run BUNDLE OUT  # on the GPU: numpy, cuda-bindings
    python -m benchmarks.simulator.restored_barrier compare OUT     # what it took

OUT/restored_barrier.npz has for each warp what its lanes do (`ways`: 0 wait elsewhere, 1 restore, 2 exit), the words
that they restore, and what those that did so read back.
"""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.silicon.runner.machine_words import rewritten
from benchmarks.simulator.steps import steps_parser

LANES, WARPS = 32, 300
WAITS, RESTORES, EXITS = range(3)

_SOURCE = """
extern "C" __global__ void k(const unsigned* words, const unsigned* ways, unsigned* read) {
    const unsigned at = blockIdx.x * 32 + threadIdx.x, word = words[at], way = ways[at];
    if (way == 2) return;
    if (way == 1) {
        unsigned found;
        asm volatile("nanosleep.u32 %1; mov.u32 %0, %clock;" : "=r"(found) : "r"(word) : "memory");
        read[at] = found;
    }
    __syncwarp();
}"""
_OPCODE_BITS, _NANOSLEEP, _CS2R = 0xFFF, 0x35D, 0x805
_BARRIER = 9 << 24
"""One that the kernel does not use."""
_RESTORE, _READ = 0x7356, 0x7355
_SOURCE_REGISTER, _DESTINATION = 0xFF << 32, 0xFF << 16
_WAITS_FOR = 0x3F << 116
_STALL = 15 << 105
_LATE, _NOT_AT_ALL = 5, 7
_READ_CONTROL = 2 << 105 | _LATE << 110 | _NOT_AT_ALL << 113
_RESTORE_CONTROL = _STALL | _NOT_AT_ALL << 110 | _NOT_AT_ALL << 113
_WAIT_FOR_READ = 1 << (116 + _LATE)


def patched(compiled: bytes) -> bytes:
    """Machine code with a BMOV to a barrier instead of the sleep, and one from it instead of the clock."""
    return rewritten(compiled, lambda word: _patched(word) | _WAIT_FOR_READ)


def _patched(word: int) -> int:
    if word & _OPCODE_BITS == _NANOSLEEP:
        return _RESTORE_CONTROL | word & (_WAITS_FOR | _SOURCE_REGISTER) | _BARRIER | _RESTORE
    if word & _OPCODE_BITS == _CS2R:
        return _READ_CONTROL | word & (_WAITS_FOR | _DESTINATION) | _BARRIER | _READ
    return word


def inputs() -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """Each lane's word, of lanes that stay, and its way."""
    random = np.random.default_rng(8)
    ways = random.integers(0, 3, (WARPS, LANES), np.uint32)
    ways[0] = RESTORES
    stay = ((ways != EXITS).astype(np.uint64) << np.arange(LANES, dtype=np.uint64)).sum(1).astype(np.uint32)
    return random.integers(0, 1 << 32, (WARPS, LANES), np.uint32) & stay[:, None], ways


def write_bundle(folder: Path) -> None:
    """Compile the kernel for a GPU machine."""
    from simcore.machine_code.compiler import compile_cuda

    folder.mkdir(parents=True, exist_ok=True)
    (folder / "k.cubin").write_bytes(patched(compile_cuda(_SOURCE, "h100-sxm")))


def run(bundle: Path, out: Path) -> None:
    """Launch the kernel on the GPU of this machine."""
    from cuda.bindings import driver

    from benchmarks.silicon.runner.device import Device, call, launch_once

    device = Device(bundle)
    module = call(driver.cuModuleLoadData, (bundle / "k.cubin").read_bytes())
    words, ways = inputs()
    read = np.zeros_like(words)
    launch_once(call(driver.cuModuleGetFunction, module, b"k"), WARPS, LANES, [words, ways, read])
    out.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(out / "restored_barrier.npz", words=words, ways=ways, read=read)
    print(f"{WARPS} warps on {device.description()}")


def taken(measured: Path) -> NDArray[np.int64]:
    """The lane whose word each warp's barrier took, counted among those that restore it; -1 if it is none of theirs."""
    found = np.load(measured)
    lanes = []
    for words, ways, read in zip(found["words"], found["ways"], found["read"], strict=True):
        words, read = words[ways == RESTORES], read[ways == RESTORES]
        if len(words) > 1:
            same = np.flatnonzero(words == read[0])
            lanes.append(same[0] if len(same) and (read == read[0]).all() else -1)
    return np.array(lanes)


def main() -> None:
    """Do what is asked; GPU machines lack most packages, so each command imports its own."""
    asked = steps_parser(__doc__).parse_args()
    if asked.command == "bundle":
        write_bundle(asked.folder)
    elif asked.command == "run":
        run(asked.folder, asked.out)
    else:
        lanes = taken(asked.folder / "restored_barrier.npz")
        print(f"{len(lanes)} warps: {(lanes == 0).sum()} took the first lane's word")


if __name__ == "__main__":
    main()
