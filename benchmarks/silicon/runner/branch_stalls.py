"""A bundle that tells what a taken branch costs beside its stall count: `micro/core/branch_cost` with other counts.

    python -m benchmarks.silicon.runner.branch_stalls BUNDLE

The compiler gives the branch of a loop a stall count of 5, and more where a result is still to come. In the machine
code of the plain loop (kind 0), the stall count (bits 105 to 108) of each branch becomes each of 1 to 15.
"""

import copy
import json
from pathlib import Path

from benchmarks.figures import parser
from benchmarks.silicon.runner.bundle import store, write_bundle
from benchmarks.silicon.runner.machine_words import rewritten
from search_spaces import load_space

SPACE = Path(__file__).parents[1] / "micro/core/branch_cost"
PLAIN = {"kind": [0], "work": [1, 4], "block_size": [32, 512]}
BRANCH = 0x947  # low 12 bits of BRA
STALLS = range(1, 16)


def main() -> None:
    """Compile the loops, then multiply the plan by the stall counts."""
    command = parser(__doc__)
    command.add_argument("bundle", type=Path)
    folder: Path = command.parse_args().bundle
    write_bundle(folder, [load_space(SPACE).override(PLAIN)], "h200")
    plan = json.loads((folder / "plan.json").read_text())
    plan["compiler"] += ", stalls rewritten"
    (space,) = plan["spaces"]
    space["points"] = [
        _with_stall(folder, point, stall) | {"index": len(STALLS) * place + stall - STALLS[0]}
        for place, point in enumerate(space["points"])
        for stall in STALLS
    ]
    (folder / "plan.json").write_text(json.dumps(plan))
    print(f"{folder}: 1 spaces, {len(space['points'])} points")


def _with_stall(folder: Path, point: dict[str, object], stall: int) -> dict[str, object]:
    """The point with that stall count in its branches, as one more parameter."""
    changed = copy.deepcopy(point)
    cubin = (folder / str(point["cubin"])).read_bytes()
    changed["cubin"] = store(folder, _rewrite(cubin, stall))
    changed["parameters"] = {**dict(point["parameters"]), "stall": stall}  # type: ignore[call-overload]
    return changed


def _rewrite(cubin: bytes, stall: int) -> bytes:
    """Give every branch a stall count."""

    def with_stall(word: int) -> int:
        return word & ~(0xF << 105) | stall << 105 if word & 0xFFF == BRANCH else word

    return rewritten(cubin, with_stall)


if __name__ == "__main__":
    main()
