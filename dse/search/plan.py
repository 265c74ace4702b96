"""All points or a sampler's choice of them: what the budget decides."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from dse.errors import InputError
from dse.search.base import Search
from dse.search.exhaustive import ExhaustiveSearch
from dse.search.samplers import check_sampler
from search_spaces import Space

EXHAUSTIVE = "exhaustive"
DEFAULT_SAMPLER = "tpe"
#: Trials of a sweep at most, so that every database can count them.
MAX_TRIALS = 2**31 - 1


@dataclass(frozen=True)
class Plan:
    """How a sweep chooses its points.

    Attributes:
        search: `exhaustive` or a sampler's name.
        total: how many trials there will be, over all GPUs, when nothing stops the sweep.
    """

    search: str
    total: int


def plan_search(
    space: Space,
    gpus: Sequence[str],
    trials: int | None = None,
    timeout_s: float | None = None,
    sampler: str | None = None,
) -> Plan:
    """The search that fits a budget.

    All points are explored, in order, when nothing limits the sweep or when they fit the trials; with a time
    limit alone nobody knows what fits, so a sampler goes first to where it expects the best.

    Args:
        space: what to search; it has valid points.
        gpus: where.
        trials: the most trials, over all GPUs; None for all points.
        timeout_s: whether there is a limit in seconds.
        sampler: a sampler's name, or None for `tpe`.

    Raises:
        InputError: the sampler cannot be used, or there is not a trial for each GPU.
    """
    name = sampler or DEFAULT_SAMPLER
    check_sampler(name, len(space.objectives))
    workloads = len(space.workloads())
    if trials is not None and trials < len(gpus) * workloads:
        case = "GPU" if workloads == 1 else "GPU and workload"
        raise InputError(
            f"trials {trials} leaves a {case} without any; "
            f"give at least {len(gpus) * workloads}, one for each {case}",
            "/trials",
        )
    points = space.count() * len(gpus)
    unlimited = trials is None and timeout_s is None
    if unlimited and points > MAX_TRIALS:
        raise InputError(
            f"the space has {points:,} points on {len(gpus)} GPUs; say --trials or --timeout", "/trials"
        )
    if unlimited or (trials is not None and not _has_more_points(space, trials // len(gpus))):
        return Plan(EXHAUSTIVE, points)
    return Plan(name, min(points, MAX_TRIALS) if trials is None else trials)


def start_search(space: Space, gpus: Sequence[str], plan: Plan, seed: int) -> Search:
    """A planned search from its beginning; the same seed gives the same points every time.

    Optuna is imported here, because an exhaustive search does not need it.
    """
    if plan.search == EXHAUSTIVE:
        return ExhaustiveSearch(space, gpus)
    from dse.search.sampled import SampledSearch

    return SampledSearch(space, gpus, plan.total, plan.search, seed)


def _has_more_points(space: Space, count: int) -> bool:
    """Whether the space has more than `count` valid points; looks at no more than that."""
    return next(islice(space.points(), count, None), None) is not None
