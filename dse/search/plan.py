"""All points or a sampler's choice of them: what the budget decides."""

from collections.abc import Sequence
from itertools import islice

from dse.errors import InputError
from dse.search.base import Search
from dse.search.exhaustive import ExhaustiveSearch
from dse.search.samplers import check_sampler
from dse.store import SweepSpec
from search_spaces import Space

EXHAUSTIVE = "exhaustive"
DEFAULT_SAMPLER = "tpe"


def plan_search(
    space: Space,
    gpus: Sequence[str],
    trials: int | None = None,
    timeout_s: float | None = None,
    sampler: str | None = None,
    seed: int = 0,
) -> tuple[str, Search]:
    """The search for a budget, and its name: `exhaustive` or the sampler's.

    All points are explored, in order, when nothing limits the sweep or when they fit the trials; with a time
    limit alone nobody knows what fits, so a sampler goes first to where it expects the best.

    Args:
        space: what to search; it has valid points.
        gpus: where.
        trials: the most trials, over all GPUs; None for all points.
        timeout_s: whether there is a limit in seconds.
        sampler: a sampler's name, or None for `tpe`.
        seed: the sampler's.

    Raises:
        InputError: the sampler cannot be used, or there is not a trial for each GPU.
    """
    name = sampler or DEFAULT_SAMPLER
    check_sampler(name, len(space.objectives))
    workloads = len(space.workloads())
    if trials is not None and trials < len(gpus) * workloads:
        case = "GPU" if workloads == 1 else "GPU and workload"
        raise InputError(
            f"--trials {trials} leaves a {case} without any; "
            f"give at least {len(gpus) * workloads}, one for each {case}"
        )
    unlimited = trials is None and timeout_s is None
    if unlimited or (trials is not None and not _has_more_points(space, trials // len(gpus))):
        return EXHAUSTIVE, ExhaustiveSearch(space, gpus)
    wanted = space.count() * len(gpus) if trials is None else trials
    return name, _sample(space, gpus, wanted, name, seed)


def repeat_search(space: Space, spec: SweepSpec, trials: int | None = None) -> Search:
    """A stored sweep's search from its beginning; with `trials`, one of more trials that begins the same.

    Raises:
        InputError: the sweep has more trials than that already.
    """
    if trials is None:
        if spec.sampler == EXHAUSTIVE:
            return ExhaustiveSearch(space, spec.gpus)
        return _sample(space, spec.gpus, spec.planned, spec.sampler, spec.seed)
    if trials < spec.planned:
        raise InputError(f"--trials {trials}: the sweep has {spec.planned} already; give at least as many")
    sampler = spec.extra["sampler_asked"] if spec.sampler == EXHAUSTIVE else spec.sampler
    return plan_search(space, spec.gpus, trials, sampler=sampler, seed=spec.seed)[1]


def _sample(space: Space, gpus: Sequence[str], trials: int, sampler: str, seed: int) -> Search:
    """A sampled search; imported here because Optuna is needed by no other."""
    from dse.search.sampled import SampledSearch

    return SampledSearch(space, gpus, trials, sampler, seed)


def _has_more_points(space: Space, count: int) -> bool:
    """Whether the space has more than `count` valid points; looks at no more than that."""
    return next(islice(space.points(), count, None), None) is not None
