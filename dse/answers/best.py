"""The answer of a sweep: for each GPU and workload the best variant, its ties, and the one to take among them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from dse.answers.cases import Case, CaseKey
from dse.answers.recommendation import ratio, recommended, slowdowns
from dse.answers.ties import Shared, in_words, limit_of, shared, tied
from dse.answers.tolerance import tolerance_of
from dse.store.filters import equalities
from dse.store.records import Place, SweepSpec, TrialRecord
from search_spaces import Point


@dataclass(frozen=True)
class Best:
    """The best variant of a GPU and workload, and those that the model cannot tell from it.

    Attributes:
        gpu: GPU name.
        workload: the workload parameters' values; empty without workload.
        trial: the trial with the best predicted objective.
        label: how far the GPU's profile can be trusted: calibrated, derived or extrapolated.
        tolerance: the relative difference of two predictions below which the order of the variants is open.
        ties: number of variants within the tolerance, the best included.
        complete: number of variants that were simulated.
        shared: what the ties have in common, for each parameter that was varied.
        common: the same in words, such as `unroll 4 or more; block_size does not matter`; empty if nothing.
        recommended: the tie to take: robust over GPUs and workloads, then fewer registers, then less code.
        slowdown: the predicted slowdown of the recommended trial over the best one, such as 0.02.
        worst_slowdown: its variant's largest over all GPUs and workloads of the sweep.
        filter: selects the ties among the sweep's trials.
    """

    gpu: str
    workload: Point
    trial: TrialRecord
    label: str
    tolerance: float
    ties: int
    complete: int
    shared: tuple[Shared, ...]
    common: str
    recommended: TrialRecord
    slowdown: float
    worst_slowdown: float
    filter: str

    def __repr__(self) -> str:
        where = " ".join([self.gpu, *(f"{name}={value}" for name, value in self.workload.items())])
        return f"Best({where!r}, trial {self.trial.number}, {self.ties} of {self.complete} within {self.tolerance:.0%})"

    @property
    def parameters(self) -> Point:
        """The best variant, with its workload."""
        return self.trial.parameters

    @property
    def time_us(self) -> float | None:
        """Predicted time of the best variant in microseconds."""
        return self.trial.time_us


def find_best(
    spec: SweepSpec,
    cases: Mapping[CaseKey, Case],
    read: Callable[[Sequence[Place]], Sequence[TrialRecord]],
) -> list[Best]:
    """The best of each GPU and workload.

    Args:
        spec: the sweep's specification.
        cases: its complete trials.
        read: reads the whole trials at some places.
    """
    firsts = {trial.place: trial for trial in read([case.best.place for case in cases.values()])}
    labels = {
        key: str(firsts[case.best.place].metrics.get("label", "unknown")) for key, case in cases.items()
    }
    tolerances = {key: tolerance_of(spec.objectives[0][1], label) for key, label in labels.items()}
    ties = {key: tied(case, tolerances[key]) for key, case in cases.items()}
    chosen = {key: recommended(case, ties[key], cases) for key, case in cases.items()}
    taken = {
        trial.place: trial for trial in read([cases[key].trials[each].place for key, each in chosen.items()])
    }
    return [
        Best(
            gpu=case.gpu,
            workload=case.workload,
            trial=firsts[case.best.place],
            label=labels[key],
            tolerance=tolerances[key],
            ties=len(ties[key]),
            complete=len(case.trials),
            shared=(common := shared(spec, case, ties[key])),
            common=in_words(common, spec.parameters),
            recommended=taken[case.trials[chosen[key]].place],
            slowdown=ratio(case.trials[chosen[key]], case.best) - 1,
            worst_slowdown=max(slowdowns(chosen[key], cases)) - 1,
            filter=_filter(spec, key, case, tolerances[key]),
        )
        for key, case in cases.items()
    ]


def _filter(spec: SweepSpec, key: CaseKey, case: Case, tolerance: float) -> str:
    """The filter that selects the ties."""
    direction, metric = spec.objectives[0]
    limit = limit_of(case.best.score, tolerance)
    objective = (
        f"metrics.{metric} <= {limit!r}" if direction == "minimize" else f"metrics.{metric} >= {-limit!r}"
    )
    return " and ".join(part for part in (f"gpu = '{key.gpu}'", equalities(case.workload), objective) if part)
