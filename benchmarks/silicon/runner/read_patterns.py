"""A bundle that tells what a scheduler takes beyond an instruction a cycle where reads of registers meet in banks.

    python -m benchmarks.silicon.runner.read_patterns BUNDLE

The kernel is `micro/core/drawn_mixes`, whose FFMAs are rewritten in the machine code: a pattern says of each
instruction what it is and in which bank each register lies that it reads, and is repeated over the loop. A register is
named by its bank, 0 or 1; `=` is the register that is read before it, and `r` behind one marks it for reuse. Measure
and collect the bundle like any other.
"""

import io
from collections.abc import Iterable
from itertools import cycle
from pathlib import Path

from elftools.elf.elffile import ELFFile

from benchmarks.figures import parser
from benchmarks.silicon.runner.bundle import plan_point, store, write_rewritten
from simcore.machine_code.compiler import compile_cuda

KERNEL = Path(__file__).parents[1] / "micro" / "core" / "drawn_mixes" / "kernel.cu"
DEFINES = {"MIX": 0, "SEED": 1, "VALUES": 24}
BLOCK_SIZES = (128, 512)
OPERATIONS = {  # the low 12 bits of the opcode; bits 72 to 104; the fields of the registers that it reads
    "fadd": (0x221, 0, (24, 32)),
    "fmul": (0x220, 0x4000, (24, 32)),
    "ffma": (0x223, 0, (24, 32, 64)),
    "lop3": (0x212, 0x78E96, (24, 32, 64)),
    "nop": (0x918, 0, ()),
}
SLOTS = {"fadd": (0, 2)}
"""Of the registers that an operation reads, where these are not the first ones in turn."""

FREE = "fadd 01;"
PATTERNS = {
    "fadd, no conflict": FREE,
    "fadd, by turns": "fadd 01;fadd 10;",
    "fadd, one in 8 meets": FREE * 7 + "fadd 00;",
    "fadd, one in 8 meets, banks by turns": FREE * 7 + "fadd 00;" + FREE * 7 + "fadd 11;",
    "fadd, two in 8 meet, in both banks": FREE * 6 + "fadd 00;fadd 11;",
    "fadd, three apart": FREE * 4 + "fadd 00;" + FREE * 2 + "fadd 11;",
    "fadd, one in 4 meets": FREE * 3 + "fadd 00;",
    "fadd, one in 2 meets": FREE + "fadd 00;",
    "fadd, one in 2 meets, banks by turns": FREE + "fadd 00;" + FREE + "fadd 11;",
    "fadd, all meet": "fadd 00;",
    "fadd, all meet, banks by turns": "fadd 00;fadd 11;",
    "fadd of one register, one in 8 meets": "fadd 0=;" * 7 + "fadd 00;",
    "fadd of one register by turns, one in 8 meets": "fadd 1=;fadd 0=;" * 3 + "fadd 1=;fadd 00;",
    "fadd of one register, one in 8 meets in the other bank": "fadd 1=;" * 7 + "fadd 00;",
    "fadd of one register, one in 2 meets in the other bank": "fadd 1=;fadd 00;",
    "fmul, no conflict": "fmul 01;",
    "fmul, one in 8 meets": "fmul 01;" * 7 + "fmul 00;",
    "fmul, one in 8 meets, banks by turns": "fmul 01;" * 7 + "fmul 00;" + "fmul 01;" * 7 + "fmul 11;",
    "fmul, all meet, banks by turns": "fmul 00;fmul 11;",
    "fmul of one register, one in 2 meets in the other bank": "fmul 1=;fmul 00;",
    "ffma 010": "ffma 010;",
    "ffma 010, 101": "ffma 010;ffma 101;",
    "ffma 001, 110": "ffma 001;ffma 110;",
    "ffma 011, 100": "ffma 011;ffma 100;",
    "ffma 010, 001": "ffma 010;ffma 001;",
    "ffma 010, 110": "ffma 010;ffma 110;",
    "ffma 001, 011": "ffma 001;ffma 011;",
    "ffma 000, 111": "ffma 000;ffma 111;",
    "ffma 000, 011": "ffma 000;ffma 011;",
    "ffma of two, no conflict": "ffma 0=1;",
    "ffma of two, one in 8 meets": "ffma 0=1;" * 7 + "ffma 0=0;",
    "ffma of two, first and last, one in 8 meets": "ffma 01=;" * 7 + "ffma 00=;",
    "ffma of two, one in 8 reads three": "ffma 0=1;" * 7 + "ffma 010;",
    "ffma of two, one in 8 reads three, by turns": "ffma 0=1;" * 7
    + "ffma 010;"
    + "ffma 0=1;" * 7
    + "ffma 101;",
    "ffma of two, one in 2 reads three, by turns": "ffma 0=1;ffma 010;ffma 0=1;ffma 101;",
    "fadd and ffma": "fadd 01;ffma 010;fadd 01;ffma 101;",
    "fadd that meets and ffma": "fadd 11;ffma 010;fadd 00;ffma 101;",
    "fadd of one register and ffma": "fadd 1=;ffma 010;",
    "fadd of one register and ffma, same bank": "fadd 0=;ffma 010;",
    "three fadd and ffma, by turns": "fadd 01;fadd 01;fadd 01;ffma 010;fadd 01;fadd 01;fadd 01;ffma 101;",
    "three fadd of one register and ffma": "fadd 1=;fadd 1=;fadd 1=;ffma 000;",
    "fadd, reused": "fadd 0r1;fadd 0r1;",
    "lop3 and ffma": "ffma 010;ffma 101;lop3 010;ffma 101;ffma 010;lop3 101;",
    "lop3 that meets and fadd of one register": "lop3 00=;fadd 1=;fadd 1=;",
}
LENGTH = 23
"""Of the patterns that end in a NOP: four of them fill the loop."""


def repeated(text: str, count: int) -> str:
    """So many instructions of a pattern that is repeated."""
    return "".join(
        f"{instruction};" for _, instruction in zip(range(count), cycle(text.strip(";").split(";")))
    )


def among_fadds(middle: str) -> str:
    """FADDs that do not meet, others in their middle, and a NOP, which takes two cycles whatever its stall count."""
    return FREE * 6 + middle + FREE * (LENGTH - 7 - middle.count(";")) + "nop;"


def apart(first: str, second: str, distances: Iterable[int]) -> dict[str, str]:
    """Two instructions with FADDs between them that do not meet."""
    return {f"{first} {second} {n} apart": f"{first};{FREE * n}{second};" for n in distances}


def times(text: str, counts: Iterable[int]) -> dict[str, str]:
    """So many instructions in a row."""
    return {f"{n} of {text}": repeated(text, n) for n in counts}


MIDDLES = {
    "none": FREE,
    **times("fadd 00", (1, 3, 4, 6)),
    **times("ffma 010", (1, 2, 3, 4, 6)),
    **times("ffma 000", (1, 2, 3)),
    **times("fadd 00;fadd 11", (3, 4, 5, 6, 8, 10)),
    **times("ffma 010;ffma 101", (2, 3, 4, 6, 8)),
    **times("ffma 010;fadd 01;ffma 101;fadd 01", (3, 4, 6, 8)),
    **apart("fadd 00", "fadd 00", (0, 1, 2, 4, 8)),
    **apart("fadd 00", "fadd 11", (0, 1, 2, 3, 4, 6, 8)),
    **apart("fadd 11", "fadd 00", (0, 1, 2, 4)),
    **apart("fadd 00", "fadd 1=", (0, 1, 2, 3, 4, 6)),
    **apart("fadd 00", "fadd 0=", (0, 2, 4)),
    **apart("fadd 1=", "fadd 00", (0, 1, 2, 4)),
}
PATTERNS |= {f"among fadds: {name}": among_fadds(middle) for name, middle in MIDDLES.items()}


def main() -> None:
    """Compile the kernel once, write a cubin a pattern, and the plan."""
    command = parser(__doc__)
    command.add_argument("bundle", type=Path)
    folder = command.parse_args().bundle
    folder.mkdir(parents=True, exist_ok=True)
    source = KERNEL.read_text()
    cubin = compile_cuda(source, "h200", DEFINES)
    points: list[dict[str, object]] = []
    for pattern, text in PATTERNS.items():
        name = store(folder, rewrite(cubin, text))
        for block_size in BLOCK_SIZES:
            point = {"pattern": pattern, "block_size": block_size}
            buffers = [("data", "float32", 8192, "uniform"), ("out", "float32", 64, "zeros")]
            values = [("rounds", "int32", 1000.0), ("turn", "uint32", 0.0)]
            points.append(plan_point(len(points), point, name, 132, buffers, values))
    write_rewritten(folder, "drawn_mixes", source, points, "rewritten")


def rewrite(cubin: bytes, pattern: str) -> bytes:
    """Have a pattern again and again in place of the FFMAs of the loop.

    Of a 128-bit instruction, bits 16, 24, 32 and 64 begin the registers d, a, b and c; the stall count is at 105, the
    yield flag, inverted, at 109, the reuse flags at 122.
    """
    text = ELFFile(io.BytesIO(cubin)).get_section_by_name(".text.drawn_mixes")
    start, size = text["sh_offset"], text["sh_size"]
    places = range(start, start + size, 16)
    at = [i for i in places if int.from_bytes(cubin[i : i + 2], "little") & 0xFFF == 0x223]
    targets = sorted({int.from_bytes(cubin[i : i + 16], "little") >> 16 & 255 for i in at})
    banks = [cycle([r for r in targets if r % 2 == bank]) for bank in range(2)]
    writes = cycle(targets)
    content = bytearray(cubin)
    for address, instruction in zip(at, cycle(pattern.strip(";").split(";")), strict=False):
        operation, _, reads = instruction.partition(" ")
        content[address : address + 16] = _word(operation, reads, banks, next(writes)).to_bytes(16, "little")
    return bytes(content)


def _word(operation: str, reads: str, banks: "list[cycle[int]]", target: int) -> int:
    opcode, modifiers, fields = OPERATIONS[operation]
    stall = 15 if operation == "nop" else 1
    word = opcode | 7 << 12 | modifiers << 72 | stall << 105 | 1 << 109 | 0x3F << 110
    word |= target << 16 if reads else 0
    register, number = 0, 0
    for read in reads:
        if read == "r":
            word |= 1 << 122 + SLOTS.get(operation, (0, 1, 2))[number - 1]
            continue
        register = register if read == "=" else next(banks[int(read)])
        word = word & ~(255 << fields[number]) | register << fields[number]
        number += 1
    return word


if __name__ == "__main__":
    main()
