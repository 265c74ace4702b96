"""A bundle that tells what a scheduler does cycle by cycle: straight-line code whose operands and control bits are
drawn.

    python -m benchmarks.silicon.runner.sequences BUNDLE

The kernel is `micro/core/issue_trace` with eight chains: 24 stretches of eight FFMAs, each behind a reading of the
clock. The FFMAs are rewritten in the machine code: their registers, so that they meet in banks, their reuse flags,
stall counts and yield flags, and the operation itself, each drawn anew for every instruction. Measure and collect the
bundle like any other.
"""

import io
import random
from pathlib import Path
from typing import Any

from elftools.elf.elffile import ELFFile

from benchmarks.figures import parser
from benchmarks.silicon.runner.bundle import plan_point, store, write_rewritten
from simcore.machine_code.compiler import compile_cuda

KERNEL = Path(__file__).parents[1] / "micro" / "core" / "issue_trace" / "kernel.cu"
DEFINES = {"KIND": 1, "CHAINS": 8, "LENGTH": 8}
INSTRUCTIONS = 24 * 8
BLOCK_SIZES = (128, 256, 512)
OPERATIONS = {  # low 12 bits of the opcode; bits 72 to 104, as the compiler sets them for plain arithmetic
    "ffma": (0x223, 0),
    "fmul": (0x220, 0x4000),
    "imad": (0x224, 0x78E02),
    "lop3": (0x212, 0x78E96),
}
KINDS: dict[
    str, tuple[list[str], bool, bool, list[int], bool, int]
] = {  # what is drawn: operations, banks, reuse flags, stall counts, yield flags; and how many programs
    "banks": (["ffma"], True, False, [1], False, 10),
    "reuse": (["ffma"], True, True, [1], False, 10),
    "stalls": (["ffma"], True, False, [1, 1, 2, 3, 4], False, 8),
    "yields": (["ffma"], True, False, [1, 1, 2, 3, 4], True, 8),
    "free_stalls": (["fmul"], False, False, [1, 1, 2, 3, 4, 6], False, 8),
    "free_yields": (["fmul"], False, False, [1, 1, 2, 3, 4, 6], True, 8),
    "free_only_yields": (["fmul"], False, False, [1], True, 6),
    "units": (["fmul", "imad", "lop3"], False, False, [1, 1, 2, 4], True, 8),
}


def main() -> None:
    """Compile the kernel once, write a cubin a program, and the plan."""
    command = parser(__doc__)
    command.add_argument("bundle", type=Path)
    folder = command.parse_args().bundle
    folder.mkdir(parents=True, exist_ok=True)
    source = KERNEL.read_text()
    cubin = compile_cuda(source, "h200", DEFINES)
    points: list[dict[str, object]] = []
    for kind, (operations, banks, reuse, stalls, yields, programs) in KINDS.items():
        for seed in range(programs):
            draw = random.Random(f"{kind} {seed}")
            name = store(folder, rewrite(cubin, draw, operations, banks, reuse, stalls, yields))
            for block_size in BLOCK_SIZES:
                point = {"kind": kind, "seed": seed, "block_size": block_size}
                points.append(_plan_point(len(points), point, name))
    write_rewritten(folder, "issue_trace", source, points, "rewritten")


def _plan_point(index: int, parameters: dict[str, Any], cubin: str) -> dict[str, object]:
    buffers = [
        ("data", "float32", 1024, "uniform"),
        ("trace", "uint64", 400, "zeros"),
        ("sink", "float32", 1024, "zeros"),
    ]
    return plan_point(index, parameters, cubin, 1, buffers, [("rounds", "int32", 4)])


def rewrite(
    cubin: bytes,
    draw: random.Random,
    operations: list[str],
    banks: bool,
    reuse: bool,
    stalls: list[int],
    yields: bool,
) -> bytes:
    """Draw each FFMA between two readings of the clock anew.

    Of a 128-bit instruction, bits 16, 24, 32 and 64 begin the registers d, a, b and c; the stall count is at 105, the
    yield flag, inverted, at 109, the reuse flags at 122.
    """
    text = ELFFile(io.BytesIO(cubin)).get_section_by_name(".text.issue_trace")
    start, size = text["sh_offset"], text["sh_size"]
    at = [
        i
        for i in range(start, start + size, 16)
        if int.from_bytes(cubin[i : i + 2], "little") & 0xFFF == 0x223
    ]
    words = [int.from_bytes(cubin[i : i + 16], "little") for i in at]
    assert len(at) == INSTRUCTIONS, f"{len(at)} FFMAs; expected {INSTRUCTIONS}"
    targets = [sorted(r for r in {w >> 16 & 255 for w in words} if r % 2 == k) for k in range(2)]
    sources = [
        [sorted(r for r in {w >> shift & 255 for w in words} if r % 2 == k) for k in range(2)]
        for shift in (24, 64)
    ]
    assert all(len(pool) >= 2 for pool in targets + sources[0] + sources[1]), (targets, sources)
    content = bytearray(cubin)
    turn = [0, 0]
    for address, word in zip(at, words, strict=True):
        parities = [draw.randrange(2) for _ in range(3)] if banks else [0, 1, 0]
        target = targets[parities[1]][turn[parities[1]] % len(targets[parities[1]])]
        turn[parities[1]] += 1
        left, third = draw.choice(sources[0][parities[0]]), draw.choice(sources[1][parities[2]])
        operation = draw.choice(operations)
        if operation in ("imad", "lop3"):
            third = left
        if operation == "fmul":
            third = 255
        opcode, modifiers = OPERATIONS[operation]
        for shift, register in ((16, target), (24, left), (32, target), (64, third)):
            word = word & ~(255 << shift) | register << shift
        word = word & ~0xFFF & ~((1 << 105) - (1 << 72)) | opcode | modifiers << 72
        word = word & ~(0xF << 122) | (draw.randrange(8) if reuse else 0) << 122
        word = word & ~(0x1F << 105) | draw.choice(stalls) << 105
        if not (yields and draw.random() < 0.25):
            word |= 1 << 109
        content[address : address + 16] = word.to_bytes(16, "little")
    return bytes(content)


if __name__ == "__main__":
    main()
