"""Unrolling against the instruction caches: a grid of pragmas and workloads."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from dse.experiments.lab import Lab, Predicted, instructions, key, measured, measured_shares
from dse.experiments.report import NOTHING, Claim, Curves, Report, Table, percent
from search_spaces import load_space

TITLE = "Unrolling two loops of Smith-Waterman, by workload"
SOURCE = "studies of GPU aligners on an H100"
GPU = "h100-sxm"
BYTES = 16
EQUAL = 1.01
"""Ratio of two times that are said to be equal."""
PRAGMAS = {0: "none", 1: "plain", 2: "2", 3: "3", 4: "4"}


def run(lab: Lab) -> Report:
    """All 25 variants at four workloads."""
    space = load_space("smith_waterman")
    found = lab.predict(space, list(space.points()), [GPU])
    workloads = sorted({_load(each) for each in found})
    by_load = {load: [each for each in found if _load(each) == load] for load in workloads}
    best = {load: min(of_load, key=lambda each: each.time_us) for load, of_load in by_load.items()}
    known = measured(GPU, "smith_waterman")
    variants = _variants(found)
    rows = [_row(of_variant, best) for of_variant in variants]
    overall = min(rows, key=lambda row: float(str(row["mean over best"])))
    winners = {load: _name(each) for load, each in best.items()}
    sizes = [int(str(row["code bytes"])) for row in rows]
    ends = [variants[sizes.index(size)] for size in (min(sizes), max(sizes))]
    waits = [_fetch_share([each.shares for each in variant]) for variant in ends]
    counted = measured_shares(GPU, "smith_waterman")
    counts = [[counted.get(key(each.point), {}) for each in variant] for variant in ends]
    is_counted = all(share for of_variant in counts for share in of_variant)
    claims = [
        Claim(
            "the best variant changes with the workload",
            SOURCE,
            "it does",
            "; ".join(f"{load / 10:g} waves: {name}" for load, name in winners.items()),
            "not so here" if (lasting := _good_everywhere(found, best)) else "agrees",
            _because(rows, lasting),
            _measured_winners(by_load, known),
        ),
        Claim(
            "without unrolling outside and 2 inside is best on average",
            SOURCE,
            "none, 2",
            str(overall["outer, inner"]),
            "agrees" if overall["outer, inner"] == "none, 2" else "differs",
            "eight rows are always unrolled here, so the loop over bases is worth unrolling whole",
            _measured_average(found, known),
        ),
        Claim(
            "no-instruction stalls grow with the size of the code",
            SOURCE,
            "they grow",
            _at_ends(ends, waits),
            "agrees" if waits[1] > waits[0] else "differs",
            "code that the L1 holds (32 KB) is there in time, larger code is not",
            _at_ends(ends, map(_fetch_share, counts)) if is_counted else NOTHING,
        ),
    ]
    return Report(
        "instruction_cache",
        TITLE,
        claims,
        [Table(f"variants on {GPU}; time in µs by waves", rows)],
        _picture(rows, best),
    )


def _picture(rows: Sequence[Mapping[str, Any]], best: Mapping[int, Predicted]) -> Curves:
    """How far the variants are from the best at each workload, by the size of their code."""
    by_size = sorted(rows, key=lambda row: row["code bytes"])
    return Curves(
        "machine code, KB",
        f"time over the best on an {GPU}",
        {
            f"{load / 10:g} waves": {
                row["code bytes"] / 1024: row[f"{load / 10:g}"] / fastest.time_us for row in by_size
            }
            for load, fastest in best.items()
        },
    )


def _variants(found: list[Predicted]) -> list[list[Predicted]]:
    variants: dict[str, list[Predicted]] = {}
    for each in found:
        variants.setdefault(_name(each), []).append(each)
    return list(variants.values())


def _row(variant: list[Predicted], best: dict[int, Predicted]) -> dict[str, object]:
    """The variant's code, its times, and how far they are from each workload's best on average."""
    code = instructions(load_space("smith_waterman"), variant[0].point, GPU)
    row: dict[str, object] = {"outer, inner": _name(variant[0]), "code bytes": BYTES * len(code)}
    row |= {f"{_load(each) / 10:g}": each.time_us for each in variant}
    row["mean over best"] = sum(each.time_us / best[_load(each)].time_us for each in variant) / len(variant)
    row["no_instruction"] = percent(_fetch_share([each.shares for each in variant]))
    return row


def _fetch_share(shares: Sequence[Mapping[str, float]]) -> float:
    """The share of no-instruction stalls, on average over a variant's workloads."""
    return sum(share.get("no_instruction", 0.0) for share in shares) / len(shares)


def _at_ends(ends: Iterable[list[Predicted]], shares: Iterable[float]) -> str:
    return "; ".join(
        f"{percent(share)} at {_name(variant[0])}" for variant, share in zip(ends, shares, strict=True)
    )


def _load(each: Predicted) -> int:
    return int(str(each.point["tenths_of_waves"]))


def _name(each: Predicted) -> str:
    outer, inner = (PRAGMAS[int(str(each.point[name]))] for name in ("unroll_outer", "unroll_inner"))
    return f"{outer}, {inner}"


def _good_everywhere(found: list[Predicted], best: Mapping[int, Predicted]) -> list[str]:
    """The variants that are as fast as the best at each workload."""
    return [
        _name(variant[0])
        for variant in _variants(found)
        if all(each.time_us <= EQUAL * best[_load(each)].time_us for each in variant)
    ]


def _because(rows: Sequence[Mapping[str, Any]], lasting: Sequence[str]) -> str:
    sizes = [row["code bytes"] for row in rows]
    words = f"the code of the variants has {min(sizes) / 1024:.0f} to {max(sizes) / 1024:.0f} KB, which L1.5 keeps"
    if not lasting:
        return words
    return f"{words}: at each workload {lasting[0]} is within {EQUAL - 1:.0%} of the best"


def _measured_average(found: list[Predicted], known: Mapping[Any, float]) -> str:
    """The variant whose measured times are nearest each workload's best, on average."""
    if not all(key(each.point) in known for each in found):
        return NOTHING
    best: dict[int, float] = {}
    for each in found:
        best[_load(each)] = min(best.get(_load(each), math.inf), known[key(each.point)])
    over = {
        _name(variant[0]): sum(known[key(each.point)] / best[_load(each)] for each in variant)
        for variant in _variants(found)
    }
    return min(over, key=over.__getitem__)


def _measured_winners(by_load: dict[int, list[Predicted]], known: Mapping[Any, float]) -> str:
    there = {
        load: [each for each in of_load if key(each.point) in known] for load, of_load in by_load.items()
    }
    if not all(there.values()):
        return NOTHING
    winners = {load: min(of_load, key=lambda each: known[key(each.point)]) for load, of_load in there.items()}
    return "; ".join(f"{load / 10:g} waves: {_name(each)}" for load, each in winners.items())
