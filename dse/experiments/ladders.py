"""Ladders: steps that each improve on the one before, in an order that should be the measured one."""

from collections.abc import Mapping, Sequence
from itertools import combinations, pairwise

from dse.experiments.lab import MEASURED, Lab, key, measured
from dse.experiments.report import NOTHING, Bars, Claim, Table, bars
from dse.tables.text import microseconds
from search_spaces import Point, Space

#: Times that differ by less are alike.
CLOSE = 0.03


def ladder_rows(
    lab: Lab, space: Space, steps: Mapping[str, Point], gpus: Sequence[str] = MEASURED
) -> list[dict[str, object]]:
    """The times of named steps on GPUs, predicted and measured."""
    rows = []
    for gpu in gpus:
        known = measured(gpu, space.name)
        found = lab.predict(space, list(steps.values()), [gpu])
        for name, each in zip(steps, found, strict=True):
            rows.append(
                {
                    "gpu": gpu,
                    "step": name,
                    "predicted, µs": each.time_us,
                    "measured, µs": known.get(key(each.point)),
                    "dominant stall": next(iter(each.shares)),
                }
            )
    return rows


def order_claim(
    text: str, source: str, published: str, rows: Sequence[Mapping[str, object]], because: str
) -> Claim:
    """Whether each step is at least as fast as the one before, as predicted; and measured, where it was."""
    texts = {}
    in_order = {}
    for kind in ("predicted, µs", "measured, µs"):
        by_gpu: dict[str, list[float]] = {}
        for row in rows:
            if isinstance(row[kind], float):
                by_gpu.setdefault(str(row["gpu"]), []).append(float(str(row[kind])))
        texts[kind] = "; ".join(
            f"{gpu}: {', '.join(map(microseconds, times))}" for gpu, times in by_gpu.items()
        )
        in_order[kind] = all(
            later <= (1 + CLOSE) * earlier for times in by_gpu.values() for earlier, later in pairwise(times)
        )
    return Claim(
        text,
        source,
        published,
        texts["predicted, µs"],
        "agrees" if all(in_order.values()) else "differs",
        because + _agreement(rows),
        texts["measured, µs"] or NOTHING,
    )


def _agreement(rows: Sequence[Mapping[str, object]]) -> str:
    """On how many pairs of steps that a GPU tells apart it is predicted which is faster."""
    pairs = [
        (one, other)
        for one, other in combinations([row for row in rows if isinstance(row["measured, µs"], float)], 2)
        if one["gpu"] == other["gpu"] and abs(_ratio(one, other, "measured, µs") - 1) > CLOSE
    ]
    if not pairs:
        return ""
    alike = sum(
        (_ratio(one, other, "measured, µs") > 1) == (_ratio(one, other, "predicted, µs") > 1)
        for one, other in pairs
    )
    return f". Of {len(pairs)} pairs of steps that differ as measured, {alike} are predicted in their order"


def _ratio(one: Mapping[str, object], other: Mapping[str, object], kind: str) -> float:
    return float(str(one[kind])) / float(str(other[kind]))


def ladder_picture(rows: Sequence[Mapping[str, object]], gpu: str = MEASURED[0]) -> Bars:
    """The times of the steps on one GPU."""
    here = [row for row in rows if row["gpu"] == gpu]
    columns = {"predicted": "predicted, µs", "measured": "measured, µs"}
    return bars(f"time on an {gpu}, µs", "step", here, columns)


def ladder_table(heading: str, rows: Sequence[Mapping[str, object]]) -> Table:
    """The rows, without a column that has no figure."""
    is_measured = any(row["measured, µs"] is not None for row in rows)
    shown = [{k: v for k, v in row.items() if is_measured or k != "measured, µs"} for row in rows]
    return Table(heading, shown)
