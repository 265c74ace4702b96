"""What it gains that studies learn from each other: the other GPU in the same sweep, and a warm start from its sweep.

    python -m benchmarks.search.transfer [--only NAME,...] [--seeds N]

On the tables of `benchmarks.search` that were measured on both an H200 and an H100, as it prints them: the optimum's
time divided by that of the best point found, in percent, after trying so much of one GPU's space. `alone` is a sweep on
one GPU, `together` one on both, and `warm` one that is given the other GPU's whole sweep.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import accumulate
from math import ceil, inf
from statistics import mean

from benchmarks.figures import console, figures, parser
from benchmarks.search.tables import GPUS, Table, tables
from dse.requests.warm_start import BEST, OTHERS
from dse.search import EarlierResult, Plan, SearchSettings, start_search

BUDGETS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
SAMPLER = "surrogate"

Pair = dict[str, Table]


def pairs(only: Sequence[str]) -> Iterator[Pair]:
    """The tables of each space that was measured on both GPUs, by GPU."""
    by_name: dict[str, Pair] = defaultdict(dict)
    for table in tables():
        if table.name.startswith(tuple(only)):
            by_name[table.name][table.gpu] = table
    return (pair for pair in by_name.values() if len(pair) == len(GPUS))


def together(pair: Pair, seed: int) -> dict[str, list[float]]:
    """The times that a sweep on both GPUs finds, in order, by GPU."""
    trials = sum(ceil(len(table) * BUDGETS[-1]) for table in pair.values())
    return _replayed(pair, Plan(SAMPLER, trials), seed)


def single(table: Table, settings: SearchSettings, seed: int) -> list[float]:
    """The times that a sweep on one GPU finds, in order."""
    plan = Plan(SAMPLER, ceil(len(table) * BUDGETS[-1]), settings)
    return _replayed({table.gpu: table}, plan, seed)[table.gpu]


def warm_start(other: Table) -> SearchSettings:
    """What a warm start takes from another GPU's sweep of every point."""
    points = {other.space.index(point): point for point in other.space.points()}
    known = sorted((time, index) for index, time in other.times.items() if time is not None)
    rest = known[BEST:]
    learnt = known[:BEST] + rest[:: max(1, ceil(len(rest) / OTHERS))]
    earlier = [EarlierResult(other.gpu, points[index], [time]) for time, index in learnt]
    return SearchSettings(first=[points[known[0][1]]], earlier=earlier)


def _replayed(pair: Pair, plan: Plan, seed: int) -> dict[str, list[float]]:
    space = next(iter(pair.values())).space
    search = start_search(space, list(pair), plan, seed)
    found: dict[str, list[float]] = {gpu: [] for gpu in pair}
    while suggestion := search.ask():
        time = pair[suggestion.gpu].times[suggestion.index]
        search.tell(suggestion, None if time is None else [time])
        found[suggestion.gpu].append(inf if time is None else time)
    return found


def reached(table: Table, times: Sequence[float]) -> list[float]:
    """How near a search is at each budget, from 0 to 1."""
    best = list(accumulate(times, min))
    return [table.optimum / best[min(ceil(len(table) * share), len(best)) - 1] for share in BUDGETS]


def curves(pair: Pair, seed: int) -> Iterator[tuple[str, list[float]]]:
    """Each way on each GPU."""
    both = together(pair, seed)
    for gpu, table in pair.items():
        (other,) = (each for name, each in pair.items() if name != gpu)
        yield "alone", reached(table, single(table, SearchSettings(), seed))
        yield "together", reached(table, both[gpu])
        yield "warm", reached(table, single(table, warm_start(other), seed))


def main() -> None:
    """Measure and print."""
    arguments_of = parser(__doc__)
    arguments_of.add_argument("--only", default="", help="spaces whose names begin so, separated by commas")
    arguments_of.add_argument("--seeds", type=int, default=20)
    arguments = arguments_of.parse_args()
    found: dict[str, list[list[float]]] = defaultdict(list)
    names = []
    for pair in pairs(arguments.only.split(",")):
        names += [str(table) for table in pair.values()]
        for seed in range(arguments.seeds):
            for way, row in curves(pair, seed):
                found[way].append(row)
    title = f"{len(names)} tables, {arguments.seeds} seeds: mean"
    shown = figures(title, "sweep", *(f"{share:.0%}" for share in BUDGETS))
    for way, rows in found.items():
        shown.add_row(way, *(f"{100 * mean(column):.1f}" for column in zip(*rows, strict=True)))
    console().print(shown)


if __name__ == "__main__":
    main()
