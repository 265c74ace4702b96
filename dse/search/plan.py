"""Choice between an exhaustive search and a sampler, depending on the budget."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice

from dse.errors import InputError
from dse.search.base import Search
from dse.search.exhaustive import ExhaustiveSearch
from dse.search.samplers import DEFAULT_SAMPLER, check_sampler, random_trials, start_chooser
from dse.search.settings import SearchSettings
from dse.store import SweepSpec
from search_spaces import Space

EXHAUSTIVE = "exhaustive"
#: Maximum number of trials of a sweep, limited by the databases' integers.
MAX_TRIALS = 2**31 - 1
#: How many times its random trials a sampler should have, to learn from them.
LEARNING = 3
#: Trials of a study with fewer of which no search is better than a guess, whatever the sampler.
FEW = 5


@dataclass(frozen=True)
class Plan:
    """How a sweep chooses its points.

    Attributes:
        search: `exhaustive` or a sampler's name.
        total: number of trials over all GPUs if nothing stops the sweep.
        settings: of a search that does not try every point.
    """

    search: str
    total: int
    settings: SearchSettings = field(default_factory=SearchSettings)


def caution(spec: SweepSpec) -> str | None:
    """What to know before the work starts: that a budget is too small for the sampler to learn; None if it is not."""
    if spec.sampler == EXHAUSTIVE:
        return None
    studies = len(spec.gpus) * len(spec.workloads)
    start_up = random_trials(spec.sampler, SearchSettings.of(spec.search).options)
    each = spec.total // studies
    if each < FEW:
        return (
            f"{spec.total} trials are {each} for each GPU and workload: too few to know the best of them; "
            f"{FEW * studies} would be a beginning"
        )
    if not start_up or each > start_up:
        return None
    enough = LEARNING * start_up * studies
    return (
        f"{spec.total} trials are {each} for each of {studies} studies: all random; "
        f"{enough} would let {spec.sampler} learn, and {DEFAULT_SAMPLER} learns from the first on"
    )


def plan_search(
    space: Space,
    gpus: Sequence[str],
    trials: int | None = None,
    timeout_s: float | None = None,
    sampler: str | None = None,
    settings: SearchSettings | None = None,
) -> Plan:
    """The search for a budget.

    All points are explored in order if nothing limits the sweep or if `trials` covers them. With only a time
    limit, the number of trials is unknown, so a sampler explores the most promising points first.

    Args:
        space: the space; it has valid points.
        gpus: GPU names.
        trials: maximum number of trials over all GPUs; None for all points.
        timeout_s: whether there is a limit in seconds.
        sampler: a sampler's name, or None for `surrogate`.
        settings: of the search.

    Raises:
        InputError: the sampler cannot be used, or there are fewer trials than GPUs and workloads.
    """
    name = sampler or DEFAULT_SAMPLER
    settings = settings or SearchSettings()
    check_sampler(name, len(space.objectives), settings.options)
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
            f"the space has {points:,} points on {len(gpus)} GPUs; set --trials or --timeout", "/trials"
        )
    if unlimited or (trials is not None and not _has_more_points(space, trials // len(gpus))):
        if settings.patience is None:
            return Plan(EXHAUSTIVE, points, settings)
        trials = points
    return Plan(name, min(points, MAX_TRIALS) if trials is None else min(trials, points), settings)


def start_search(space: Space, gpus: Sequence[str], plan: Plan, seed: int) -> Search:
    """Create the planned search; the same seed always gives the same points.

    Optuna is imported only here, since an exhaustive search does not need it.
    """
    if plan.search == EXHAUSTIVE:
        return ExhaustiveSearch(space, gpus, plan.settings)
    from dse.search.sampled import SampledSearch

    directions = [direction for direction, _ in space.objectives]
    settings = plan.settings
    start = start_chooser(plan.search, settings.options, directions, seed, settings.earlier)
    return SampledSearch(space, gpus, plan.total, settings, start)


def _has_more_points(space: Space, count: int) -> bool:
    """Whether the space has more than `count` valid points, without counting further."""
    return next(islice(space.points(), count, None), None) is not None
