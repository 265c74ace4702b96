"""The rsqrt chain whose unrolling pays 1.57 times at n = 64 and 3.93 times at n = 512, on an H100."""

import csv
from collections.abc import Mapping, Sequence

from dse.experiments.lab import MEASURED, SILICON, Lab, Predicted, space_of_the_repository
from dse.experiments.report import NOTHING, Claim, Curves, Report, Table, ratio
from simcore import gpu_names

TITLE = "Unrolling a chain of reciprocal square roots over slices of memory"
SOURCE = "the published table, H100 SXM, 1,024 x 256 threads"
SPACE = "benchmarks/silicon/micro/l2/private_lines"
UNROLL = (1, 2, 4, 8, 16)
PUBLISHED = {64: (1.00, 1.41, 1.53, 1.56, 1.57), 512: (1.00, 2.48, 3.90, 3.92, 3.93)}
REGISTERS = (15, 20, 20, 30, 27)
GPU = "h100-sxm"
BLOCKS = 1024
#: The same kernel, measured here with a few factors.
FIGURES = SILICON / "private_lines.csv"
#: The rows must agree to this.
TOLERANCE = 0.1
#: Why they do not, where that is known (benchmarks/silicon/README.md, private lines).
WHY = {
    512: "on an H100 lines gather at slices of L2, which fall behind and lose them (1,790 to 2,310 µs without "
    "unrolling, from launch to launch); the model, which times one SM, has all slices equally loaded"
}


def run(lab: Lab) -> Report:
    """Ratios and registers on all GPUs, and what binds."""
    found = {(n, gpu): _row(lab, n, gpu) for n in PUBLISHED for gpu in gpu_names()}
    claims = []
    for n, published in PUBLISHED.items():
        ratios = _ratios(found[n, GPU])
        worst = max(abs(mine / theirs - 1) for mine, theirs in zip(ratios, published, strict=True))
        claims.append(
            Claim(
                f"speedups by unrolling 1, 2, 4, 8, 16 times at n = {n}",
                SOURCE,
                _listed(published),
                _listed(ratios),
                "agrees" if worst <= TOLERANCE else "differs",
                _reason(n, worst, found[n, GPU]),
                "; ".join(f"{gpu}: {known}" for gpu in MEASURED if (known := _measured(gpu, n))) or NOTHING,
            )
        )
    registers = [int(each.metrics["registers_per_thread"]) for each in found[64, GPU]]
    claims.append(
        Claim(
            "registers of a thread",
            SOURCE,
            ", ".join(map(str, REGISTERS)),
            ", ".join(map(str, registers)),
            "agrees" if tuple(registers) == REGISTERS else "differs",
            "registers are the compiler's choice, and this is NVRTC 13.5",
        )
    )
    rows = [
        {
            "n": n,
            "gpu": gpu,
            **{f"x{unroll}": ratio(value) for unroll, value in zip(UNROLL, _ratios(row), strict=True)},
            "time at 1, µs": row[0].time_us,
            "at 16, µs": row[-1].time_us,
            "binds at 1": _bound_by(row[0]),
            "at 16": _bound_by(row[-1]),
        }
        for (n, gpu), row in found.items()
    ]
    return Report("rsqrt_unroll", TITLE, claims, [Table("speedups by unrolling", rows)], _picture(found))


def _picture(found: Mapping[tuple[int, str], list[Predicted]]) -> Curves:
    """The published speedups and the predicted ones."""
    lines: dict[str, Sequence[float]] = {}
    for n, published in PUBLISHED.items():
        lines |= {f"published, n = {n}": published, f"predicted, n = {n}": _ratios(found[n, GPU])}
    return Curves(
        "unroll",
        f"speedup on an {GPU}",
        {name: dict(zip(map(float, UNROLL), values, strict=True)) for name, values in lines.items()},
    )


def _measured(gpu: str, n: int) -> str:
    """The ratios that were measured here, with the factors of unrolling."""
    if not FIGURES.is_file():
        return ""
    with FIGURES.open() as lines:
        rows = [row for row in csv.DictReader(lines) if row["series"] == "unrolls" and row["gpu"] == gpu]
    times = {
        int(row["unroll"]): float(row["time_us"])
        for row in rows
        if (row["n"], row["stride"], row["blocks"]) == (str(n), str(n), str(BLOCKS))
    }
    return ", ".join(
        f"{ratio(times[1] / time)} at {unroll}" for unroll, time in sorted(times.items()) if unroll > 1
    )


def _row(lab: Lab, n: int, gpu: str) -> list[Predicted]:
    space = space_of_the_repository(SPACE)
    points = [{"unroll": unroll, "n": n, "stride": n, "blocks": BLOCKS} for unroll in UNROLL]
    return lab.predict(space, points, [gpu])


def _ratios(row: list[Predicted]) -> list[float]:
    return [row[0].time_us / each.time_us for each in row]


def _reason(n: int, worst: float, row: list[Predicted]) -> str:
    """How far the rows are off, and why if they are too far."""
    known = [WHY[n]] if worst > TOLERANCE and n in WHY else []
    return "; ".join([f"the largest difference of a row is {worst:.0%}", _bound(row), *known])


def _listed(values: list[float] | tuple[float, ...]) -> str:
    return " / ".join(map(ratio, values))


def _bound_by(found: Predicted) -> str:
    """The unit nearest its peak."""
    used: dict[str, float] = found.metrics["utilisation"]
    unit = max(used, key=used.__getitem__)
    return f"{unit} {used[unit]:.0%}"


def _bound(row: list[Predicted]) -> str:
    return f"nearest its peak is {_bound_by(row[0])} at 1 and {_bound_by(row[-1])} at 16"
