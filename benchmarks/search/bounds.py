"""What it would gain to exclude points whose lower bound is above the best time.

    python -m benchmarks.search.bounds [--spaces NAME,...] [--gpu NAME,...] [--jobs N]

The bound is that of the issue slots: the warp instructions of the SM that ends last, one a cycle and scheduler. They
are known as soon as a point is compiled, decoded and counted. Every point of each space is simulated as well. `above
the best` are the points that could be excluded if the best time of their workload were known from the start; `wrong`
are those whose bound is above their own time, so that it would be none. The seconds are processor time: until the bound
is known, of the simulations after that, and of the simulations of the points that could be excluded.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import repeat
from time import process_time

from benchmarks.figures import console, figures, machine, parser
from dse.evaluation.evaluate import prepare, timed_launch
from dse.evaluation.points import task_for
from search_spaces import Point, Space, catalog_names, load_space
from simcore import occupancy, simulate
from simcore.model.placement import last_blocks
from simcore.session.counting import count_instructions
from simcore.session.request import TimingRequest
from simcore.session.session import prepare as prepare_launch


@dataclass(frozen=True)
class Bounded:
    """A point with its bound and its time.

    Attributes:
        case: GPU and workload.
        bound_us: microseconds that its instructions take to issue at least.
        time_us: as simulated.
        bound_s: processor seconds until the bound is known.
        simulation_s: processor seconds of the simulation.
    """

    case: tuple[object, ...]
    bound_us: float
    time_us: float
    bound_s: float
    simulation_s: float


def bounded(space: Space, gpu: str, point: Point) -> Bounded:
    """A point, compiled, counted and simulated."""
    prepare()
    began = process_time()
    launch = timed_launch(task_for(space, point, gpu))
    bound_us = issue_bound_us(TimingRequest(**launch))
    counted = process_time()
    time_us = simulate(**launch).time_us
    case = gpu, *(point[name] for name in space.workload)
    return Bounded(case, bound_us, time_us, counted - began, process_time() - counted)


def issue_bound_us(request: TimingRequest) -> float:
    """Microseconds in which the schedulers of the SM that ends last can issue what its blocks execute."""
    session = prepare_launch(request)
    gpu, launch = session.gpu, session.launch
    room = occupancy(gpu, launch.threads_per_block, launch.kernel.registers, launch.shared_bytes)
    counts = count_instructions(session, request.cycle_limit)
    candidates = last_blocks(gpu, launch, room, counts.executed, counts.longest)
    most = max(int(counts.executed[blocks].sum()) for blocks in candidates)
    return most / gpu.schedulers_per_sm / gpu.clock_mhz


def excluded(points: Sequence[Bounded]) -> Iterator[Bounded]:
    """Those whose bound is above the best time of their GPU and workload."""
    best: defaultdict[tuple[object, ...], float] = defaultdict(lambda: float("inf"))
    for each in points:
        best[each.case] = min(best[each.case], each.time_us)
    return (each for each in points if each.bound_us > best[each.case])


def main() -> None:
    """Measure and print."""
    command = parser(__doc__)
    command.add_argument(
        "--spaces", default=",".join(catalog_names()), help="names of the catalog, or folders"
    )
    command.add_argument("--gpu", default="h200,a100-80gb")
    command.add_argument("--jobs", type=int, default=1)
    asked = command.parse_args()
    shown = figures(
        machine(), "GPU", "points", "above the best", "wrong", "bounds, s", "simulations, s", "excluded, s"
    )
    with ProcessPoolExecutor(asked.jobs) as pool:
        for gpu in asked.gpu.split(","):
            some: list[Bounded] = []
            above: list[Bounded] = []
            for name in asked.spaces.split(","):
                space = load_space(name)
                found = list(pool.map(bounded, repeat(space), repeat(gpu), list(space.points()), chunksize=4))
                some += found
                above += excluded(found)
            wrong = sum(each.bound_us > each.time_us for each in some)
            seconds = [
                sum(each.bound_s for each in some),
                *(sum(each.simulation_s for each in group) for group in (some, above)),
            ]
            counts = (str(len(some)), str(len(above)), str(wrong))
            shown.add_row(gpu, *counts, *(f"{each:.1f}" for each in seconds))
    console().print(shown)


if __name__ == "__main__":
    main()
