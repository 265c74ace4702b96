"""A bundle that tells how many register ports an instruction has: one loop, its operands moved between banks.

    python -m benchmarks.silicon.runner.ports BUNDLE

The compiler chooses registers, so they are rewritten in the machine code: every FFMA of the loop becomes
`FFMA Rd, Ra, Rb, Rd` (or another operation of two or three sources), issued every cycle, with `Ra`, `Rb` and
the four rotating `Rd` in chosen classes modulo 4 and chosen reuse flags. Measure and collect the bundle like
any other.
"""

import io
from pathlib import Path
from typing import Any

from elftools.elf.elffile import ELFFile

from benchmarks.figures import parser
from benchmarks.silicon.runner.bundle import plan_point, store, write_rewritten
from simcore.machine_code.compiler import compile_cuda

LOOP = 16 * 8
OPERATIONS = {  # low 12 bits of the opcode; bits 72 to 104, as the compiler sets them for plain arithmetic
    "ffma": (0x223, 0),
    "fadd": (0x221, 0),
    "fmul": (0x220, 0x4000),
    "imad": (0x224, 0x78E02),
    "iadd3": (0x210, 0x7FFE0),
    "lop3": (0x212, 0x78E96),
}
SOURCES = {"fadd": 2, "fmul": 2}  # three for the others
# fmt: off
PATTERNS = [  # classes of Ra, Rb and Rd modulo 4; reuse flags, 1 for Ra, 2 for Rb
    (0, 1, 2, 0), (0, 1, 3, 0), (0, 1, 0, 0), (0, 1, 1, 0), (0, 2, 1, 0), (0, 2, 3, 0), (0, 0, 1, 0),
    (0, 2, 0, 0), (0, 0, 0, 0), (1, 3, 1, 0), (0, 0, 0, 1), (0, 0, 0, 3), (0, 2, 0, 1), (0, 2, 0, 3),
    (0, 1, 0, 1), (0, 1, 2, 1),
]
FEWER_PATTERNS = [(0, 1, 2, 0), (0, 2, 1, 0), (0, 2, 0, 0), (0, 2, 0, 1), (0, 0, 0, 3)]
# fmt: on


def main() -> None:
    """Compile the kernel once, write a cubin a pattern, and the plan."""
    command = parser(__doc__)
    command.add_argument("bundle", type=Path)
    folder = command.parse_args().bundle
    source = (Path(__file__).parents[1] / "micro/core/operand_ports.cu").read_text()
    folder.mkdir(parents=True, exist_ok=True)
    cubin = compile_cuda(source, "h200")
    points: list[dict[str, object]] = []
    for operation in OPERATIONS:
        for a, b, d, reuse in PATTERNS if operation == "ffma" else FEWER_PATTERNS:
            name = store(folder, _rewrite(cubin, operation, a, b, d, reuse))
            for block_size in (32, 128, 512, 1024):
                point = {"a": a, "b": b, "d": d, "reuse": reuse, "block_size": block_size}
                points.append(_plan_point(len(points), {"operation": operation, **point}, name))
    write_rewritten(folder, "operand_ports", source, points, "registers rewritten")


def _plan_point(index: int, parameters: dict[str, Any], cubin: str) -> dict[str, object]:
    threads = 132 * parameters["block_size"]
    buffers = [("cycles", "int64", threads, "zeros"), ("sink", "float32", threads, "zeros")]
    buffers += [("in", "float32", 1032, "uniform")]
    return plan_point(index, parameters, cubin, 132, buffers)


def _rewrite(cubin: bytes, operation: str, a: int, b: int, d: int, reuse: int) -> bytes:
    """Make every FFMA of the loop this operation on these operands, in registers that the loop owns.

    Of a 128-bit instruction, bits 16, 24, 32 and 64 begin the registers d, a, b and c; the stall count is at
    105, the reuse flags at 122.
    """
    text = ELFFile(io.BytesIO(cubin)).get_section_by_name(".text.operand_ports")
    start, size = text["sh_offset"], text["sh_size"]
    at = [
        i
        for i in range(start, start + size, 16)
        if int.from_bytes(cubin[i : i + 2], "little") & 0xFFF == OPERATIONS["ffma"][0]
    ]
    words = [int.from_bytes(cubin[i : i + 16], "little") for i in at]
    assert len(at) == LOOP, f"{len(at)} FFMAs; expected {LOOP}"
    accumulators = sorted({word >> 16 & 255 for word in words})
    inputs = sorted({word >> shift & 255 for word in words for shift in (32, 64)} - set(accumulators))
    pools = {k: [register for register in accumulators if register % 4 == k] for k in range(4)}
    sources = {k: [register for register in inputs if register % 4 == k] for k in range(4)}
    left, right = sources[a][0], sources[b][-1]
    assert left != right, sources
    assert all(len(pool) >= 4 for pool in pools.values()), pools
    opcode, modifiers = OPERATIONS[operation]
    content = bytearray(cubin)
    for i, (address, word) in enumerate(zip(at, words, strict=True)):
        target = pools[d][i % 4]
        third = target if SOURCES.get(operation, 3) == 3 else 0
        for shift, register in ((16, target), (24, left), (32, right), (64, third)):
            word = word & ~(255 << shift) | register << shift
        word = word & ~0xFFF & ~((1 << 105) - (1 << 72)) | opcode | modifiers << 72
        word = word & ~(0xF << 122) | reuse << 122
        word = word & ~(0xF << 105) | 1 << 105
        content[address : address + 16] = word.to_bytes(16, "little")
    return bytes(content)


if __name__ == "__main__":
    main()
