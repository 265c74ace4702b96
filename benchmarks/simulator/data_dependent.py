"""What a prediction takes whose control flow or addresses depend on data or on the block, and what takes it.

    python -m benchmarks.simulator.data_dependent [KERNEL ...] [--points 3] [--gpu h200] [--before CHECKOUT]

Kernels are of the silicon families, of two validation sets, or of the catalog, and some points of each are evenly
spread. Each kernel is predicted in a process of its own that is warm and has the machine code, but has not seen the
point before. Times are the processor's in user mode, so that what else the machine does counts less, and how fast it
hands out memory. With `--before`, the folder of another checkout, that one predicts the same points in turn.
"""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rich.table import Table

from benchmarks.figures import console, figures, machine, parser
from simcore import warm_up

HERE = Path(__file__).parents[2]
FOLDERS = (
    HERE / "benchmarks" / "silicon" / "families",
    HERE / "benchmarks" / "silicon" / "validation",
    HERE / "benchmarks" / "silicon" / "validation_eleventh",
    HERE / "search_spaces" / "catalog",
)
KERNELS = (
    "stencil_1d", "stencil_2d", "stencil_3d", "stencil_box", "spilled_registers", "sparse_rows", "spmm_rows",
    "csr_vector", "csr_scalar", "sell_spmv", "bfs_pull", "gather", "histogram", "softmax",
    "attention_f16_mma_causal",
)  # fmt: skip

PHASES = ("decode", "compile", "contents", "count", "touch", "replay", "time")
"""What the child process tells apart: decoding the machine code, making native code, contents of buffers, counting
instructions, what the timed SM touches, the replay of all SMs, timing. The rest is in the sum alone."""

CHILD = """
import json, sys
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from dse.evaluation.variants import space_variants
from simcore import simulate, warm_up
from simcore.session import counting, session, timing

names, inner = {}, [0.0]

def user_time():
    return getrusage(RUSAGE_SELF).ru_utime

def timed(module, function, phase):
    call = getattr(module, function)
    def timed_call(*arguments, **keywords):
        began = user_time()
        inner.append(0.0)
        try:
            return call(*arguments, **keywords)
        finally:
            spent = user_time() - began
            names[phase] = names.get(phase, 0.0) + spent - inner.pop()
            inner[-1] += spent
    setattr(module, function, timed_call)

timed(session, "_program", "decode")
timed(session, "build_machine", "contents")
timed(counting, "stretch_of", "compile")
timed(timing, "count_instructions", "count")
timed(timing, "touched_in_any_order", "touch")
if hasattr(timing, "trace_first_blocks"):
    timed(timing, "trace_first_blocks", "replay")
timed(timing, "fetched_by_all", "replay")
timed(timing, "_run_sm", "time")

def predict(variants, point, gpu):
    launch = variants.recipe(point).launch(gpu)
    names.clear()
    began = user_time()
    result = simulate(**launch)
    seconds = user_time() - began
    return {"seconds": seconds, "timed": result.ipc * result.cycles, "phases": dict(names)}

warm, folder, gpu, count = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
warm_up()
variants = space_variants(Path(warm))
predict(variants, next(iter(variants.points())), gpu)
variants = space_variants(Path(folder))
points = list(variants.points())
chosen = sorted({round(i * (len(points) - 1) / max(count - 1, 1)) for i in range(count)})
print(json.dumps([{"point": i, **predict(variants, points[i], gpu)} for i in chosen]))
"""


class Prediction(NamedTuple):
    """What one prediction took.

    Attributes:
        point: the number of the point in its space.
        seconds: of the processor in user mode.
        timed: warp instructions on the SM that is timed.
        phases: seconds by the names of `PHASES`.
    """

    point: int
    seconds: float
    timed: float
    phases: dict[str, float]

    @property
    def rate(self) -> float:
        """Millions of warp instructions of the timed SM a second."""
        return self.timed / self.seconds / 1e6


def main() -> None:
    """Measure and print."""
    command = parser(__doc__)
    command.add_argument("kernels", nargs="*", help=f"by default {', '.join(KERNELS)}")
    command.add_argument("--points", type=int, default=3, help="of each kernel (default: 3)")
    command.add_argument("--gpu", default="h200")
    command.add_argument("--before", type=Path, help="the folder of another checkout")
    asked = command.parse_args()
    console().print(machine())
    warm_up()
    console().print(measured(asked))


def measured(asked: argparse.Namespace) -> Table:
    """Predict in turns; a row for each point."""
    headings = ("old ms", "ms", "old M/s", "M/s", *PHASES)
    table = figures(
        "Processor time of a prediction, and warp instructions of the timed SM", "point", *headings
    )
    for kernel in asked.kernels or KERNELS:
        here = predictions(HERE, folder_of(kernel), asked)
        before: Sequence[Prediction | None] = [None] * len(here)
        if asked.before:
            before = predictions(asked.before.resolve(), folder_of(kernel), asked)
        for old, new in zip(before, here, strict=True):
            table.add_row(*row(kernel, old, new))
    return table


def folder_of(kernel: str) -> Path:
    """The first folder that has a space of this name."""
    for folder in FOLDERS:
        if (folder / kernel).is_dir():
            return folder / kernel
    raise SystemExit(f"no space named {kernel}")


def predictions(checkout: Path, folder: Path, asked: argparse.Namespace) -> list[Prediction]:
    """Predict some points of a space with the code of a checkout."""
    arguments = (HERE / "search_spaces" / "catalog" / "dot", folder, asked.gpu, asked.points)
    run = subprocess.run(
        [sys.executable, "-c", CHILD, *map(str, arguments)],
        env=os.environ | {"PYTHONPATH": str(checkout)},
        cwd=checkout,
        capture_output=True,
        text=True,
        check=False,
    )
    if run.returncode:
        raise SystemExit(run.stderr)
    found: list[dict[str, Any]] = json.loads(run.stdout.splitlines()[-1])
    return [Prediction(**each) for each in found]


def row(kernel: str, old: Prediction | None, new: Prediction) -> list[str]:
    """The cells of a point."""
    both = (f"{old.seconds * 1e3:.0f}" if old else "", f"{new.seconds * 1e3:.0f}")
    rates = (f"{old.rate:.2f}" if old else "", f"{new.rate:.2f}")
    phases = (f"{new.phases.get(phase, 0.0) * 1e3:.0f}" for phase in PHASES)
    return [f"{kernel} {new.point}", *both, *rates, *phases]


if __name__ == "__main__":
    main()
