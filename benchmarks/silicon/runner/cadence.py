"""A bundle that tells when back-to-back instructions of queues issue: `micro/l1/issue_cadence` without stalls.

    python -m benchmarks.silicon.runner.cadence BUNDLE [--op ...]

The compiler leaves four or eight cycles between them. In the machine code, the stall count (bits 105
to 108) of each that another one follows becomes one, so that only the queues hold them back; and the load
that stands behind a burst in the source, which the compiler puts before it, goes back there.
"""

import io
import json
from itertools import groupby
from pathlib import Path

from elftools.elf.elffile import ELFFile

from benchmarks.figures import parser
from benchmarks.silicon.runner.bundle import store, write_bundle
from search_spaces import load_space

SPACE = Path(__file__).parents[1] / "micro/l1/issue_cadence"
CLOCK = 0x805
"""Low 12 bits of a CS2R."""
OPCODES = {0x981, 0x984, 0x986, 0x988, 0x98E, 0xF89, 0x308, 0x309, 0x919, 0x9C3, 0xB82}
"""Of LDG, LDS, STG, STS, RED, SHFL, MUFU, POPC, S2R, S2UR and LDC."""


def main() -> None:
    """Compile the space, then rewrite its cubins and the plan."""
    command = parser(__doc__)
    command.add_argument("bundle", type=Path)
    command.add_argument("--op", type=int, nargs="+", help="of the kernel's operations, these alone")
    asked = command.parse_args()
    folder: Path = asked.bundle
    space = load_space(SPACE).override({"op": asked.op} if asked.op else None)
    write_bundle(folder, [space], "h200")
    plan = json.loads((folder / "plan.json").read_text())
    plan["compiler"] += ", stalls rewritten"
    for point in plan["spaces"][0]["points"]:
        point["cubin"] = store(folder, without_stalls((folder / point["cubin"]).read_bytes()))
    (folder / "plan.json").write_text(json.dumps(plan))


def without_stalls(cubin: bytes) -> bytes:
    """Bursts of these instructions stall for a single cycle each, and the load behind one stands there."""
    text = ELFFile(io.BytesIO(cubin)).get_section_by_name(".text.issue_cadence")
    start, size = text["sh_offset"], text["sh_size"]
    words = [int.from_bytes(cubin[at : at + 16], "little") for at in range(start, start + size, 16)]
    written: list[int] = []
    for is_burst, stretch in groupby(words, lambda word: _opcode(word) in OPCODES):
        first, *others = stretch
        if is_burst and others:
            follows_clock = bool(written) and _opcode(written[-1]) == CLOCK
            is_put_before = follows_clock and _opcode(first) not in map(_opcode, others)
            *stalling, last = [*others, first] if is_put_before else [first, *others]
            written += [*(word & ~(0xF << 105) | 1 << 105 for word in stalling), last]
        else:
            written += [first, *others]
    return cubin[:start] + b"".join(word.to_bytes(16, "little") for word in written) + cubin[start + size :]


def _opcode(word: int) -> int:
    return word & 0xFFF


if __name__ == "__main__":
    main()
