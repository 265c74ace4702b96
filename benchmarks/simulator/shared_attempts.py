"""Which lanes of a warp succeed in one attempt of a compare-and-store to shared memory (ATOMS.CAST.SPIN).

    python -m benchmarks.simulator.shared_attempts bundle BUNDLE   # no GPU needed
    python -m benchmarks.simulator.shared_attempts run BUNDLE OUT  # on the GPU: numpy, cuda-bindings
    python -m benchmarks.simulator.shared_attempts compare OUT     # the simulator's rule on the same words

An addition of floats in shared memory is a loop that loads, adds, and stores if the word is still what it was. Without
the loop's branch each lane tries once; what it would leave is its number, so that each word says who succeeded.
OUT/shared_attempts.npz has the `words` that each warp's lanes aim at (-1: the lane does not), and what is there after
one attempt (`singles`, and `doubles`, whose words are of 64 bits): a lane's number and one, or zero.
"""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.silicon.runner.machine_words import rewritten
from benchmarks.simulator.steps import steps_parser

LANES, WORDS, WARPS_EACH = 32, 2048, 128
SILENT = -1

KINDS = {"singles": ("float", np.float32), "doubles": ("double", np.float64)}

_SOURCE = """
extern "C" __global__ void k(const int* words, T* found) {
    __shared__ T sums[2048];
    for (int i = threadIdx.x; i < 2048; i += 32) sums[i] = 0;
    __syncthreads();
    const int at = blockIdx.x * 32 + threadIdx.x, word = words[at];
    if (word >= 0) atomicAdd(sums + word, (T)(threadIdx.x + 1));
    __syncthreads();
    found[at] = word >= 0 ? sums[word] : 0;
}"""
_OPCODE_BITS, _COMPARE_AND_STORE, _BRANCH = 0xFFF, 0x38D, 0x947
_NOTHING = 0x000FC000_00000000_00000000_00007918  # NOP


def patched(compiled: bytes) -> bytes:
    """Machine code without the first branch behind the compare-and-store, which is the loop's."""
    loops = False

    def without_loop(word: int) -> int:
        nonlocal loops
        if loops and word & _OPCODE_BITS == _BRANCH:
            loops = False
            return _NOTHING
        loops |= word & _OPCODE_BITS == _COMPARE_AND_STORE
        return word

    content = rewritten(compiled, without_loop)
    if content == compiled:
        raise SystemExit("the machine code has no compare-and-store")
    return content


def words() -> NDArray[np.int32]:
    """[warp, lane] words drawn from few to many, one behind the other or apart, of all lanes or of half of them; then
    each lane's own, so many words apart, from so many lanes on."""
    random = np.random.default_rng(11)
    drawn = [
        np.where(
            random.random((WARPS_EACH, LANES)) < share,
            random.integers(0, count, (WARPS_EACH, LANES)) * apart % WORDS,
            SILENT,
        )
        for share in (1.0, 0.5)
        for count in (2, 8, 32, 64, 256, 2048)
        for apart in (1, 2, 32)
    ]
    lane = np.arange(LANES)
    regular = [
        lane // together * apart % WORDS
        for together in (1, 2, 4, 8, 16, 32)
        for apart in (1, 2, 4, 8, 16, 32, 33)
    ]
    return np.concatenate([*drawn, np.array(regular)]).astype(np.int32)


def compiled(kind: str) -> bytes:
    """The kernel for `float` or `double` with a single attempt."""
    from simcore.machine_code.compiler import compile_cuda

    return patched(compile_cuda(_SOURCE.replace("T", kind), "h200"))


def write_bundle(folder: Path) -> None:
    """Compile the kernels for a GPU machine."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, (kind, _) in KINDS.items():
        (folder / f"{name}.cubin").write_bytes(compiled(kind))
    print(f"{folder}: {len(KINDS)} kernels")


def run(bundle: Path, out: Path) -> None:
    """Launch the kernels on the GPU of this machine."""
    from cuda.bindings import driver

    from benchmarks.silicon.runner.device import Device, call, launch_once

    device = Device(bundle)
    aims = words()
    found: dict[str, NDArray[np.int32]] = {}
    for name, (_, dtype) in KINDS.items():
        values = np.zeros(aims.shape, dtype)
        module = call(driver.cuModuleLoadData, (bundle / f"{name}.cubin").read_bytes())
        launch_once(call(driver.cuModuleGetFunction, module, b"k"), len(aims), LANES, [aims, values])
        found[name] = values.astype(np.int32)
    out.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(
        out / "shared_attempts.npz", words=aims, singles=found["singles"], doubles=found["doubles"]
    )
    print(f"{len(aims)} warps on {device.description()}")


def differing(measured: Path, every: int = 1) -> dict[str, int]:
    """How many warps, of all or of one in so many, leave something else in the simulator than on the GPU."""
    from simcore import execute

    data = np.load(measured)
    aims, count = np.ascontiguousarray(data["words"][::every]), {}
    for name, (kind, dtype) in KINDS.items():
        found = np.zeros(aims.shape, dtype)
        execute(
            cubin=compiled(kind),
            grid=len(aims),
            block=LANES,
            arguments=[aims.ravel(), found.ravel()],
            gpu="h200",
        )
        count[name] = int((found != data[name][::every]).any(axis=1).sum())
    return count


def main() -> None:
    """Do what is asked; GPU machines lack most packages, so each command imports its own."""
    asked = steps_parser(__doc__).parse_args()
    if asked.command == "bundle":
        write_bundle(asked.folder)
    elif asked.command == "run":
        run(asked.folder, asked.out)
    else:
        for name, count in differing(asked.folder / "shared_attempts.npz").items():
            print(f"{name}: {count} of {len(words())} warps differ")


if __name__ == "__main__":
    main()
