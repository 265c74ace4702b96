"""How far measured times are from predicted ones, by what limits a launch, and how often such an interval holds.

    python -m benchmarks.simulator.intervals [--gpu h200,h100-sxm] [--every N] [--write]

For each limit (the regime, and of bandwidth whose it is) it takes the 5th and the 95th percentile of measured over
predicted time. Each family has the same weight, spread over its launches; limits of fewer than six families have the
percentiles over all. The last line is the share of the launches of a family that its interval holds if that family has
no part in the percentiles, on average over the families. `--write` writes `simcore/diagnosis/measured_errors.yaml`,
which `time_low_us` and `time_high_us` of a prediction come from.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from statistics import mean

import numpy as np
import yaml

from benchmarks.figures import console, figures, parser
from benchmarks.simulator.ties import FILES, MEASURED
from simcore import SimcoreError, simulate
from simcore.diagnosis.interval import EVERY, FILE, limit_of
from simcore.validation import read_measurements

QUANTILES = (0.05, 0.95)
FEWEST_FAMILIES = 6


@dataclass(frozen=True)
class Launch:
    """One launch: its family, what limits it, measured over predicted time, and its weight: its part of its family."""

    family: str
    limit: str
    ratio: float
    weight: float


Percentiles = tuple[float, float]


def launches(gpu: str, every: int) -> list[Launch]:
    """Every so many measured launches of a GPU, predicted."""
    return list(_predicted(gpu, every))


def _predicted(gpu: str, every: int) -> Iterator[Launch]:
    files = [read_measurements(MEASURED / gpu / name).measurements[::every] for name in FILES]
    sizes = Counter(m.family for measurements in files for m in measurements)
    for measurements in files:
        for m in measurements:
            assert m.recipe is not None
            try:
                result = simulate(**m.recipe.launch(gpu))
            except SimcoreError:
                continue
            limit = limit_of(result.regime, result.issue_active, result.utilisation)
            yield Launch(m.family, limit, m.time_us / result.time_us, 1 / sizes[m.family])


def percentiles(found: Sequence[Launch]) -> Percentiles:
    """The 5th and the 95th percentile of the ratios, by weight."""
    ordered = sorted(found, key=lambda each: each.ratio)
    weights = np.array([each.weight for each in ordered])
    places = (np.cumsum(weights) - weights / 2) / weights.sum()
    low, high = np.interp(QUANTILES, places, np.log([each.ratio for each in ordered]))
    return float(np.exp(low)), float(np.exp(high))


def by_limit(found: Sequence[Launch]) -> dict[str, Percentiles]:
    """The percentiles of each limit with enough families, and those over all."""
    groups = defaultdict[str, list[Launch]](list)
    for each in found:
        groups[each.limit].append(each)
    enough = {
        limit: group
        for limit, group in sorted(groups.items())
        if len({each.family for each in group}) >= FEWEST_FAMILIES
    }
    return {limit: percentiles(group) for limit, group in {**enough, EVERY: found}.items()}


def coverage(found: Sequence[Launch]) -> dict[str, float]:
    """By family, the share of its launches within the percentiles of the other families."""
    shares = {}
    for family in sorted({each.family for each in found}):
        others = by_limit([each for each in found if each.family != family])
        mine = [each for each in found if each.family == family]
        shares[family] = mean(_holds(others.get(each.limit, others[EVERY]), each) for each in mine)
    return shares


def _holds(between: Percentiles, launch: Launch) -> bool:
    return between[0] <= launch.ratio <= between[1]


def main() -> None:
    """Print the percentiles by limit, and write them if asked to."""
    options = parser(__doc__)
    options.add_argument("--gpu", default="h200,h100-sxm", help="measured GPUs, separated by commas")
    options.add_argument("--every", type=int, default=1, help="only every N-th launch")
    options.add_argument("--write", action="store_true", help="renew measured_errors.yaml")
    asked = options.parse_args()
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        of_each = pool.map(partial(launches, every=asked.every), asked.gpu.split(","))
        found = [each for of_gpu in of_each for each in of_gpu]
    table, shares = by_limit(found), coverage(found)
    shown = figures("measured over predicted time", "limit", "families", "launches", "5 %", "95 %")
    for limit, (low, high) in table.items():
        group = [each for each in found if limit in (each.limit, EVERY)]
        families = len({each.family for each in group})
        shown.add_row(limit, f"{families}", f"{len(group):,}", f"{low - 1:+.1%}", f"{high - 1:+.1%}")
    console().print(shown)
    console().print(
        f"a family that had no part in them: {mean(shares.values()):.1%} of its launches are within"
    )
    if asked.write:
        FILE.write_text(_document(table, found, asked.gpu))


def _document(table: dict[str, Percentiles], found: Sequence[Launch], gpus: str) -> str:
    head = (
        f"# Measured over predicted time, 5th and 95th percentile: {len(found):,} launches of the catalog and\n"
        f"# the families on {gpus.replace(',', ' and ')}. Made by `python -m benchmarks.simulator.intervals --write`.\n"
    )
    limits = {limit: {"low": round(low, 3), "high": round(high, 3)} for limit, (low, high) in table.items()}
    return head + yaml.safe_dump({"limits": limits}, sort_keys=False)


if __name__ == "__main__":
    main()
