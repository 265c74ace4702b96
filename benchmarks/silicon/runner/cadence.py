"""A bundle that tells when back-to-back instructions of queues issue: `micro/l1/issue_cadence` without stalls.

    python -m benchmarks.silicon.runner.cadence BUNDLE [--op ...]

The compiler leaves four or eight cycles between them. In the machine code, the stall count (bits 105
to 108) of each that another of its kind follows becomes one, so that only the queues hold them back.
"""

import io
import json
from pathlib import Path

from elftools.elf.elffile import ELFFile

from benchmarks.figures import parser
from benchmarks.silicon.runner.bundle import store, write_bundle
from search_spaces import load_space

SPACE = Path(__file__).parents[1] / "micro/l1/issue_cadence"
OPCODES = {0x981, 0x984, 0x986, 0x988, 0x98E, 0xF89, 0x308, 0x309, 0x9C3, 0xB82}
"""Low 12 bits: LDG, LDS, STG, STS, RED, SHFL, MUFU, POPC, S2UR, LDC."""


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
    """Let every instruction of these that one of its kind follows stall for a single cycle."""
    text = ELFFile(io.BytesIO(cubin)).get_section_by_name(".text.issue_cadence")
    start, size = text["sh_offset"], text["sh_size"]
    content = bytearray(cubin)
    for at in range(start, start + size - 16, 16):
        word, following = (int.from_bytes(cubin[i : i + 16], "little") for i in (at, at + 16))
        if word & 0xFFF in OPCODES and word & 0xFFF == following & 0xFFF:
            word = word & ~(0xF << 105) | 1 << 105
            content[at : at + 16] = word.to_bytes(16, "little")
    return bytes(content)


if __name__ == "__main__":
    main()
