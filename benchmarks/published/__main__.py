"""How near do the GPU profiles come to what others measured of these GPUs?

    python -m benchmarks.published [--gpu a100-80gb,rtx5090] [--quantity L2] [--far] [--report docs/published.md]

Every figure of `data/` is predicted by a kernel of `kernels/` and printed beside what was published; `*` marks those
that differ by more than a tenth.
"""

import argparse
from pathlib import Path

from benchmarks.figures import console, parser
from benchmarks.published.figures import figures_of, gpus
from benchmarks.published.recipes import predict
from benchmarks.published.report import Compared, comparison, page, reason, summary


def main() -> None:
    """Predict, print, and write the page if it is asked for."""
    command = parser(__doc__)
    command.add_argument("--gpu", default=",".join(gpus()), help="of these, separated by commas")
    command.add_argument("--quantity", default="", help="only figures whose quantity has this text")
    command.add_argument(
        "--far", action="store_true", help="print only what differs by more than a tenth, and why"
    )
    command.add_argument("--report", type=Path, help="write the page of the documentation to this file")
    asked: argparse.Namespace = command.parse_args()
    compared = [
        Compared(figure, predict(figure))
        for gpu in asked.gpu.split(",")
        for figure in figures_of(gpu)
        if asked.quantity.lower() in figure.quantity.lower()
    ]
    if not compared:
        command.error(f"no figure's quantity has {asked.quantity!r}")
    out = console()
    shown = [each for each in compared if not (asked.far and each.near)]
    out.print(comparison(shown))
    if asked.far:
        for each in shown:
            out.print(f"{each.figure.gpu}: {reason(each)}")
    out.print(summary(compared))
    if asked.report:
        asked.report.write_text(page(compared))


if __name__ == "__main__":
    main()
