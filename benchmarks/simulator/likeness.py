"""How the errors of predictions hang together: the rates with the greatest likelihood, and how well they choose.

    python -m benchmarks.simulator.likeness [--gpu h200,h100-sxm] [--families saxpy,dot] [--jobs N] [--apart]

In the cases of `benchmarks.simulator.ties`: the likelihood of the measured errors under `dse.answers.similarity`, of
which each case has a mean and a spread of its own, that are integrated out, and counts once. The first table has the
rates of greatest likelihood, the mean of the spreads, and the logarithm of the likelihood for each variant; below them
the rates that `dse` uses. The second says how much slower than the fastest variant the best of 3 and 5 is that `dse
measure-list` proposes, on average and at worst; with `--apart` it does so by the rates of all other families, which are
found for each family in turn.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import mean

import numpy as np
from scipy.optimize import minimize

from benchmarks.figures import console, figures, parser
from benchmarks.simulator.ties import MEASURED_VARIANTS, PROBLEMS, Case, cases_of
from dse.answers.similarity import TYPICAL, Errors, Floats, loads

#: Rates are sought between these.
LEAST, MOST = 1e-3, 10.0
#: Variance of an error about the process, relative to the process.
NOISE = 1e-4


@dataclass(frozen=True)
class Known:
    """A case with the errors of its variants.

    Attributes:
        case: its variants.
        loads: how they load the GPU.
        errors: the logarithms of measured over predicted time.
    """

    case: Case
    loads: Floats
    errors: Floats

    @classmethod
    def of(cls, case: Case) -> "Known":
        times = [(each.measurement.time_us, each.time_us) for each in case.variants]
        measured, predicted = np.array(times).T
        return cls(case, loads(case.records, case.metrics_of), np.log(measured / predicted))

    @property
    def family(self) -> str:
        return self.case.variants[0].measurement.family

    def likelihood(self, errors: Errors) -> tuple[float, float]:
        """Its logarithm for each variant, with any mean and any spread, and the most likely spread."""
        count = len(self.errors)
        covariance = errors.covariance(self.loads, self.loads) / errors.spread**2 + NOISE * np.eye(count)
        root = np.linalg.cholesky(covariance)
        apart, ones = np.linalg.solve(root, np.stack([self.errors, np.ones(count)], axis=1)).T
        rest = apart - ones * (ones @ apart) / (ones @ ones)
        variance = rest @ rest / (count - 1)
        volume = np.log(np.diag(root)).sum() + np.log(ones @ ones) / 2
        return float(-(volume / (count - 1)) - np.log(variance) / 2), float(np.sqrt(variance))


def score(cases: Iterable[Known], errors: Errors) -> tuple[float, float]:
    """The mean likelihood of cases, and their mean spread."""
    likelihoods, spreads = zip(*(each.likelihood(errors) for each in cases), strict=True)
    return mean(likelihoods), mean(spreads)


def most_likely(cases: Sequence[Known], start: Errors = TYPICAL) -> Errors:
    """The rates with the greatest likelihood, and the mean of the spreads."""

    def rates(logarithms: Floats) -> Errors:
        *per_doubling, per_unit = np.exp(np.clip(logarithms, np.log(LEAST), np.log(MOST))).tolist()
        return Errors(start.spread, tuple(per_doubling), per_unit)

    first = np.log([*start.per_doubling, start.per_unit])
    options = {"xatol": 0.05, "fatol": 1e-3}
    found = rates(
        minimize(lambda each: -score(cases, rates(each))[0], first, method="Nelder-Mead", options=options).x
    )
    return Errors(score(cases, found)[1], found.per_doubling, found.per_unit)


def losses(cases: Sequence[Known], is_apart: bool) -> Iterator[tuple[str, str, list[float]]]:
    """How much slower the fastest of the proposed variants is, of each GPU and number of them."""
    errors = dict.fromkeys({each.family for each in cases}, TYPICAL)
    if is_apart:
        for family in errors:
            errors[family] = most_likely([each for each in cases if each.family != family])
    for gpu in dict.fromkeys(each.case.gpu for each in cases):
        for count in MEASURED_VARIANTS:
            here = [each for each in cases if each.case.gpu == gpu and len(each.case.variants) >= 2 * count]
            if here:
                yield gpu, str(count), [each.case.left(count, errors[each.family]) for each in here]


def main() -> None:
    """Find and print."""
    command = parser(__doc__)
    command.add_argument("--gpu", default="h200,h100-sxm")
    command.add_argument("--families", default=",".join(PROBLEMS), help="only these")
    command.add_argument("--jobs", type=int, default=1)
    command.add_argument("--apart", action="store_true", help="choose with the rates of the other families")
    asked = command.parse_args()
    cases = [
        Known.of(case)
        for gpu in asked.gpu.split(",")
        for case in cases_of(gpu, asked.families.split(","), asked.jobs)
    ]
    names = ("time", "occupancy", "block", "unit", "spread", "likelihood")
    shown = figures(None, "rates", *names)
    for name, errors in (("most likely", most_likely(cases)), ("used", TYPICAL)):
        likelihood, spread = score(cases, errors)
        numbers = (*errors.per_doubling, errors.per_unit, spread, likelihood)
        shown.add_row(name, *(f"{number:.3f}" for number in numbers))
    console().print(shown)
    shown = figures(None, "GPU", "best of", "cases", "mean", "worst")
    for gpu, count, left in losses(cases, asked.apart):
        shown.add_row(gpu, count, str(len(left)), f"{mean(left):.3%}", f"{max(left):.2%}")
    console().print(shown)


if __name__ == "__main__":
    main()
