"""How near a search comes to the optimum with how many trials, beside Kernel Tuner's strategies and plain Optuna.

    python -m benchmarks.search [--only NAME,...] [--seeds N] [--samplers NAME,...] [--reversed] [--save FILE]

Replays searches on tables that hold the measured time of every point of a space, so nothing is evaluated: the catalog's
spaces on an H200 and an H100, each workload for itself, and a matrix product of 12,360 points on an H100. A cell is the
optimum's time divided by that of the best point found, in percent, over all seeds: the mean, and for the large space
the median. Budgets are shares of the space. Tables of 40 points and more have a figure of their own: of the smaller
ones 5 % are two points. Kernel Tuner (`pip install kernel_tuner`, in the extra `benchmarks`) replays the same table in
its simulation mode; `*` marks its strategies, and `°` Optuna's samplers without us. Both get points that are invalid or
known already for nothing; our searches ask for none, which is checked. `--reversed` tells what of a search's success is
the order in which a space lists its values.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from itertools import accumulate
from math import ceil, inf
from pathlib import Path
from statistics import mean, median

from benchmarks.figures import console, figures, parser
from benchmarks.search import kernel_tuner
from benchmarks.search.ours import PLAIN, replay, replay_plain
from benchmarks.search.tables import Table, tables
from dse.errors import InputError
from dse.search.samplers import check_sampler

BUDGETS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
#: Of the large space; more of it than anybody tries.
LARGE_BUDGETS = (0.01, 0.02)
LARGE = 1000
#: Points of a table whose small budgets are more than one or two trials.
MEDIUM = 40
SAMPLERS = ("surrogate", "tpe", "random", "nsga2", "nsga3", "qmc", "cmaes")


@dataclass(frozen=True)
class Curve:
    """What one search found in one table with one seed.

    Attributes:
        table: kernel, workload and GPU.
        points: of the table.
        search: the sampler or strategy.
        found: for each budget, the optimum's time divided by the best found, from 0 to 1.
        seconds: processor time of the search for each trial; 0 if it is not known.
    """

    table: str
    points: int
    search: str
    found: Sequence[float]
    seconds: float = 0.0


def curves(
    table: Table, samplers: Sequence[str], strategies: Sequence[str], seeds: Sequence[int]
) -> Iterator[Curve]:
    """Every search on a table."""
    trials = ceil(len(table) * _budgets(len(table))[-1])

    def curve(search: str, times: Sequence[float], seconds: float = 0.0) -> Curve:
        return Curve(str(table), len(table), search, _found(table, times), seconds / trials)

    for name in samplers:
        for seed in seeds:
            yield curve(name, *replay(table, name, seed, trials))
            if name in PLAIN:
                yield curve(f"{name}°", *replay_plain(table, name, seed, trials))
    if find_spec("kernel_tuner") is not None:
        for name, times in kernel_tuner.replay(table, strategies, seeds, trials):
            yield curve(f"{name}*", times)


def _size(points: int) -> str:
    """What a table of so many points counts to."""
    return "large" if points > LARGE else "medium" if points >= MEDIUM else "small"


def _budgets(points: int) -> Sequence[float]:
    return LARGE_BUDGETS if points > LARGE else BUDGETS


def _found(table: Table, times: Sequence[float]) -> list[float]:
    best = list(accumulate(times, min)) or [inf]
    return [
        table.optimum / best[min(ceil(len(table) * share), len(best)) - 1] for share in _budgets(len(table))
    ]


def report(every: Iterable[Curve]) -> None:
    """Print a figure for the large space, one for the medium ones together, and one for the small ones."""
    groups: dict[str, list[Curve]] = defaultdict(list)
    for curve in every:
        groups[_size(curve.points)].append(curve)
    for size, group in groups.items():
        shares, typical = _budgets(group[0].points), median if size == "large" else mean
        by_search = _typical(group, lambda curve: curve.search, typical)
        names = sorted({curve.table for curve in group})
        shown = figures(
            f"{len(names)} {size}: {typical.__name__}", "search", *(f"{share:.0%}" for share in shares), "ms"
        )
        for name, row in sorted(by_search.items(), key=lambda row: -mean(row[1])):
            own = mean(curve.seconds for curve in group if curve.search == name)
            shown.add_row(name, *_percent(row), f"{1000 * own:.1f}" if own else "")
        for mark, whose in (("*", "Kernel Tuner's"), ("°", "plain Optuna's")):
            if best := _best_of_each_table(group, mark, typical):
                shown.add_row(f"best of {whose} on each table", *_percent(best))
        console().print(shown)


def _typical(
    some: Sequence[Curve], key: Callable[[Curve], str], typical: Callable[[Iterable[float]], float]
) -> dict[str, list[float]]:
    found: dict[str, list[Sequence[float]]] = defaultdict(list)
    for curve in some:
        found[key(curve)].append(curve.found)
    return {name: [typical(column) for column in zip(*rows, strict=True)] for name, rows in found.items()}


def _best_of_each_table(
    group: Sequence[Curve], mark: str, typical: Callable[[Iterable[float]], float]
) -> list[float]:
    """At each budget the best of some searches on each table, chosen afterwards, and the mean over tables."""
    theirs = [curve for curve in group if curve.search.endswith(mark)]
    best: dict[str, list[list[float]]] = defaultdict(list)
    for name, row in _typical(theirs, lambda curve: f"{curve.table}/{curve.search}", typical).items():
        best[name.partition("/")[0]].append(row)
    each = [[max(column) for column in zip(*rows, strict=True)] for rows in best.values()]
    return [mean(column) for column in zip(*each, strict=True)]


def _percent(row: Sequence[float]) -> Iterator[str]:
    return (f"{100 * value:.1f}" for value in row)


def main() -> None:
    arguments_of = parser(__doc__)
    arguments_of.add_argument("--only", default="", help="tables whose names begin so, separated by commas")
    arguments_of.add_argument("--seeds", type=int, default=50)
    arguments_of.add_argument("--samplers", default=",".join(SAMPLERS))
    arguments_of.add_argument(
        "--strategies", default=",".join(kernel_tuner.STRATEGIES), help="Kernel Tuner's"
    )
    arguments_of.add_argument(
        "--reversed", action="store_true", help="each parameter's values in the reverse order"
    )
    arguments_of.add_argument("--save", type=Path, help="add the figures to this file, of JSON lines")
    arguments_of.add_argument("--show", type=Path, help="print the figures of this file instead")
    arguments = arguments_of.parse_args()
    if arguments.show:
        report(Curve(**json.loads(line)) for line in arguments.show.read_text().splitlines())
        return
    words = (arguments.samplers, arguments.strategies)
    samplers, strategies = ([name for name in each.split(",") if name] for each in words)
    try:
        for sampler in samplers:
            check_sampler(sampler, 1)
    except InputError as error:
        arguments_of.error(str(error))
    found: list[Curve] = []
    for table in tables():
        if not str(table).startswith(tuple(arguments.only.split(","))):
            continue
        if arguments.reversed:
            table = table.in_reverse_order()
        for curve in curves(table, samplers, strategies, range(arguments.seeds)):
            found.append(curve)
            if arguments.save:
                with arguments.save.open("a") as file:
                    file.write(json.dumps(asdict(curve)) + "\n")
        print(f"{table}: {len(table)} points", flush=True)
    report(found)


if __name__ == "__main__":
    main()
