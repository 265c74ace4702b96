"""Which share of a sweep's processor time is the sampler's own.

    python -m benchmarks.search.share [--spaces NAME,...] [--gpu NAME,...] [--trials N] [--sampler NAME]

A sweep's search on each space, whose points are compiled and simulated as it asks for them, in one process. Nothing
that was compiled or simulated before is taken; the sampler's libraries are imported before, once for all spaces.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from time import process_time

from benchmarks.caches import empty_caches
from benchmarks.figures import console, figures, machine, parser
from benchmarks.search.tables import LARGE
from dse.evaluation.evaluate import evaluate, prepare
from dse.evaluation.points import task_for
from dse.search import plan_search, start_search
from search_spaces import Space, load_space

#: What `surrogate` imports, once a process.
LIBRARIES = ("scipy.linalg", "scipy.special", "threadpoolctl")
SPACES = ("dot", "layer_norm", "sgemm", str(LARGE))


@dataclass
class Shares:
    """Processor seconds of one search.

    Attributes:
        trials: points that it asked for.
        start: seconds of the search before its first point: its libraries, and the points of the space.
        sampler: seconds of the search after that.
        points: seconds of compiling and simulating.
    """

    trials: int = 0
    start: float = 0.0
    sampler: float = 0.0
    points: float = 0.0


def shares(space: Space, gpus: Sequence[str], trials: int, sampler: str) -> Shares:
    """A search to its end."""
    found, began = Shares(), process_time()
    search = start_search(space, gpus, plan_search(space, gpus, trials, sampler=sampler), seed=0)
    found.start = process_time() - began
    began = process_time()
    while suggestion := search.ask():
        found.sampler += process_time() - began
        began = process_time()
        time = evaluate(task_for(space, suggestion.point, suggestion.gpu)).metrics.get("time_us")
        found.points += process_time() - began
        found.trials += 1
        began = process_time()
        search.tell(suggestion, None if time is None else [time])
    found.sampler += process_time() - began
    return found


def main() -> None:
    """Measure and print."""
    arguments_of = parser(__doc__)
    arguments_of.add_argument("--spaces", default=",".join(SPACES), help="names of the catalog, or folders")
    arguments_of.add_argument("--gpu", default="h200")
    arguments_of.add_argument("--trials", type=int, default=30)
    arguments_of.add_argument("--sampler", default="surrogate")
    arguments = arguments_of.parse_args()
    prepare()
    for library in LIBRARIES:
        import_module(library)
    shown = figures(
        machine(),
        "space",
        "points",
        "trials",
        "start, ms",
        "sampler, ms a trial",
        "evaluation, ms",
        "share, %",
    )
    for name in arguments.spaces.split(","):
        space = load_space(name)
        with empty_caches():
            found = shares(space, arguments.gpu.split(","), arguments.trials, arguments.sampler)
        shown.add_row(
            Path(name).name,
            str(space.count()),
            str(found.trials),
            f"{1000 * found.start:.0f}",
            f"{1000 * found.sampler / found.trials:.1f}",
            f"{1000 * found.points / found.trials:.0f}",
            f"{100 * (found.start + found.sampler) / (found.start + found.sampler + found.points):.2f}",
        )
    console().print(shown)


if __name__ == "__main__":
    main()
