"""The answer of a sweep: for each GPU and workload the best variant, its ties, and the one to take among them."""

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from math import isfinite

from dse.answers.cases import Case, CaseKey, Target, Variant, is_sample
from dse.answers.neighbours import Neighbour, neighbours
from dse.answers.neighbours import in_words as tried_in_words
from dse.answers.recommendation import ratio, recommended, slowdowns
from dse.answers.ties import Shared, counted, in_words, left_out, limit_of, shared, tied
from dse.answers.tolerance import tolerance_of
from dse.notebooks import html_table
from dse.store.filters import equalities
from dse.store.records import Place, SweepSpec, TrialRecord
from dse.tables.text import INTERVAL, interval, microseconds, variant
from search_spaces import Point

#: What notebooks show of each answer.
BEST_HEAD = "GPU", "workload", "best variant", "time", INTERVAL, "ties", "profile"


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
        codes: of how many different machine codes these are.
        complete: number of variants that were simulated.
        shared: what the ties have in common, for each parameter that was varied.
        common: the same in words, such as `unroll 4 or more; block_size does not matter`; empty if nothing.
        recommended: the tie to take: robust over GPUs and workloads, then fewer registers, then less code.
        slowdown: the predicted slowdown of the recommended trial over the best one, such as 0.02.
        worst_slowdown: its variant's largest over all GPUs and workloads of the sweep; None if a best value is 0.
        worst_case: the GPU and workload of the largest.
        filter: selects the ties among the sweep's trials.
        neighbours: what was tried around the best variant: the best other value of each parameter.
    """

    gpu: str
    workload: Point
    trial: TrialRecord
    label: str
    tolerance: float
    ties: int
    codes: int
    complete: int
    shared: tuple[Shared, ...]
    common: str
    recommended: TrialRecord
    slowdown: float
    worst_slowdown: float | None
    worst_case: str
    filter: str
    neighbours: tuple[Neighbour, ...] = ()

    def __repr__(self) -> str:
        where, chosen = self.case, variant(self._chosen)
        ties = f"{self.tied} within {self.tolerance:.0%}"
        return f"Best({where!r}, trial {self.trial.number}: {chosen}, {self.cells[3]}, {ties})"

    def _repr_html_(self) -> str:
        """The answer as a table, for notebooks."""
        caption = f"{self!r}: take trial {self.recommended.number}"
        return html_table(caption, BEST_HEAD, [self.cells])

    @property
    def case(self) -> str:
        """The GPU and the workload in words."""
        return str(Target(self.gpu, self.workload))

    @property
    def tied(self) -> str:
        """The number of ties in words."""
        return counted(self.ties, self.codes, self.complete)

    @property
    def tried(self) -> str:
        """What was tried around the best variant in words, beside its advice; empty if nothing was."""
        return tried_in_words(self.neighbours)

    @property
    def cells(self) -> tuple[str, ...]:
        """The texts below `BEST_HEAD`."""
        value = microseconds(self.time_us) if self.time_us is not None else ""
        between = interval(self.trial.metrics)
        return self.gpu, variant(self.workload), variant(self._chosen), value, between, self.tied, self.label

    @property
    def _chosen(self) -> Point:
        """The best variant, without its workload."""
        return {name: value for name, value in self.parameters.items() if name not in self.workload}

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
    choices = [_Choice.of(spec, case, cases, firsts[case.best.place]) for case in cases.values()]
    taken = {trial.place: trial for trial in read([choice.place for choice in choices])}
    return [choice.answer(spec, cases, taken[choice.place]) for choice in choices]


def _common(spec: SweepSpec, case: Case, ties: Set[Variant], found: Sequence[Shared], is_sample: bool) -> str:
    """What the ties share in words, or where nearly all tie the others; of a sample it holds for what completed."""
    words = in_words(found, spec.parameters)
    if not any(each.matters for each in found) and (others := left_out(spec, case, ties)):
        words = f"{words or 'nothing'}; {others}"
    return f"{words} (of the {len(case.trials):,} variants that completed)" if words and is_sample else words


@dataclass(frozen=True)
class _Choice:
    """The ties of a case, and the one to take."""

    case: Case
    first: TrialRecord
    label: str
    tolerance: float
    ties: Set[Variant]
    variant: Variant

    @classmethod
    def of(cls, spec: SweepSpec, case: Case, cases: Mapping[CaseKey, Case], first: TrialRecord) -> "_Choice":
        label = str(first.metrics.get("label", "unknown"))
        tolerance = tolerance_of(spec.objectives[0][1], label, spec.user_metrics)
        ties = tied(case, tolerance)
        return cls(case, first, label, tolerance, ties, recommended(case, ties, cases))

    @property
    def place(self) -> Place:
        return self.case.trials[self.variant].place

    def answer(self, spec: SweepSpec, cases: Mapping[CaseKey, Case], taken: TrialRecord) -> Best:
        case, common = self.case, shared(spec, self.case, self.ties)
        losses = slowdowns(self.variant, cases)
        hardest = max(losses, key=losses.__getitem__)
        worst = losses[hardest] - 1
        return Best(
            gpu=case.gpu,
            workload=case.workload,
            trial=self.first,
            label=self.label,
            tolerance=self.tolerance,
            ties=len(self.ties),
            codes=len({case.trials[tie].code for tie in self.ties}),
            complete=len(case.trials),
            shared=common,
            common=_common(spec, case, self.ties, common, is_sample(spec, cases)),
            recommended=taken,
            slowdown=ratio(case.trials[self.variant], case.best) - 1,
            worst_slowdown=worst if isfinite(worst) else None,
            worst_case=str(Target(hardest.gpu, cases[hardest].workload)),
            filter=_filter(spec, case, self.tolerance),
            neighbours=neighbours(spec, case),
        )


def _filter(spec: SweepSpec, case: Case, tolerance: float) -> str:
    """The filter that selects the ties."""
    direction, metric = spec.objectives[0]
    limit = limit_of(case.best.score, tolerance)
    objective = (
        f"metrics.{metric} <= {limit!r}" if direction == "minimize" else f"metrics.{metric} >= {-limit!r}"
    )
    return " and ".join(
        part for part in (f"gpu = '{case.gpu}'", equalities(case.workload), objective) if part
    )
