"""Which of the ties to take: robust over GPUs and workloads first, then fewer registers, then less code."""

from collections.abc import Iterable, Mapping
from math import inf

from dse.answers.cases import Case, CaseKey, Variant
from dse.store.records import VariantRecord
from search_spaces.fields import REGISTER_CAP

#: Worst slowdowns closer than this are equally robust.
AS_ROBUST = 0.01
#: What the number of codes beside that of the ties is.
CODES = "codes: the different machine codes among the ties; variants with the same code run alike"
#: The answers to which variant is the one, in the same words wherever they stand.
_BEST = "best: the best prediction"
_TAKE_ONE = (
    f"take: of the ties within {AS_ROBUST:.0%} of it, the one with the fewest registers, then the least code"
)
_TAKE = "take: the tie most robust over all GPUs and workloads, then with the fewest registers, then the least code"
_PORTABLE = "portable: one variant for all of them, by time alone"


def recommended(case: Case, ties: Iterable[Variant], cases: Mapping[CaseKey, Case]) -> Variant:
    """The tie to take.

    Of those that completed in the most cases, the ones whose worst slowdown over the best of each case is smallest, to
    within 1 %; of these the one with the fewest registers, then the least code, then the smallest worst slowdown. A
    register cap that is not kept, or without which the code is the same, is not recommended.
    """
    losses = {variant: slowdowns(variant, cases) for variant in ties}
    most = max(map(len, losses.values()))
    worst = {variant: max(ratios.values()) for variant, ratios in losses.items() if len(ratios) == most}
    limit = min(worst.values()) + AS_ROBUST

    def rank(variant: Variant) -> tuple[float, ...]:
        trial = case.trials[variant]
        registers, code = (inf if each is None else each for each in (trial.registers, trial.code_bytes))
        cap = trial.parameters.get(REGISTER_CAP)
        is_broken = isinstance(cap, int) and cap < registers < inf
        return (is_broken, registers, code, cap is not None, worst[variant], trial.point_index)

    return min((variant for variant, ratio in worst.items() if ratio <= limit), key=rank)


def which_is_which(cases: int) -> str:
    """What the answers to which variant is the one are; a single GPU and workload needs no portable one."""
    return "; ".join((_BEST, _TAKE, _PORTABLE) if cases > 1 else (_BEST, _TAKE_ONE))


def slowdowns(variant: Variant, cases: Mapping[CaseKey, Case]) -> dict[CaseKey, float]:
    """The variant's objective relative to the best of each case in which it completed, 1 or more."""
    return {
        key: ratio(trial, case.best) for key, case in cases.items() if (trial := case.trials.get(variant))
    }


def ratio(trial: VariantRecord, best: VariantRecord) -> float:
    """An objective relative to the best: 1 or more; scores of maximised objectives are negative."""
    if trial.score == best.score:
        return 1.0
    if best.score == 0 or trial.score == 0 or (trial.score > 0) != (best.score > 0):
        return inf
    return trial.score / best.score if best.score > 0 else best.score / trial.score
