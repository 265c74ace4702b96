"""What one variant for two GPUs costs, chosen by predictions, against the best that measurements could choose.

    python -m benchmarks.simulator.portable [--gpu h200,h100-sxm] [--families saxpy,dot] [--jobs N]

In the cases of `benchmarks.simulator.ties` that were measured on all of these GPUs: the variant that
`dse best --portable` chooses by the worst, and by the mean, of its slowdowns over each GPU's fastest. `slowdown` is
that of the chosen variant as measured, `least` the smallest of any variant, and `above` how far apart they are.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import mean

from benchmarks.figures import console, figures, parser
from benchmarks.simulator.ties import PROBLEMS, Case, cases_of
from dse.answers.cases import Case as VariantsOfACase
from dse.answers.cases import CaseKey, Variant, variant_of
from dse.answers.portability import find_portable
from dse.store import SweepSpec
from search_spaces import Value

STATISTICS: Mapping[str, Callable[[Sequence[float]], float]] = {"worst": max, "mean": mean}


@dataclass(frozen=True)
class Choice:
    """One variant for all GPUs, of one kernel and problem.

    Attributes:
        name: kernel and problem.
        slowdown: of the variant that predictions choose, as measured, over each GPU's fastest; 1 or more.
        least: the smallest of any variant.
    """

    name: str
    slowdown: float
    least: float

    @property
    def above(self) -> float:
        """How far the choice is above the best one, as a fraction."""
        return self.slowdown / self.least - 1


def choices(cases: Sequence[Case]) -> dict[str, Choice]:
    """What is chosen among the variants of a kernel and problem, which was measured on several GPUs."""
    spec = SweepSpec(cases[0].name, "", "", tuple(case.gpu for case in cases), _values(cases[0]))
    predicted = {CaseKey(case.gpu, ()): _variants(spec, case) for case in cases}
    found = find_portable(spec, predicted)
    slowdowns = _measured_slowdowns(spec, cases)
    chosen = {"worst": found.minimax, "mean": found.mean}
    return {
        name: Choice(
            cases[0].name,
            statistic(slowdowns[variant_of(spec, chosen[name].parameters)]),
            min(map(statistic, slowdowns.values())),
        )
        for name, statistic in STATISTICS.items()
    }


def _values(case: Case) -> dict[str, tuple[Value, ...]]:
    """Of each parameter."""
    points = [each.measurement.parameters for each in case.variants]
    return {name: tuple(dict.fromkeys(point[name] for point in points)) for name in points[0]}


def _variants(spec: SweepSpec, case: Case) -> VariantsOfACase:
    return VariantsOfACase(
        case.gpu, {}, {variant_of(spec, record.parameters): record for record in case.records}
    )


def _measured_slowdowns(spec: SweepSpec, cases: Sequence[Case]) -> dict[Variant, list[float]]:
    """Of each variant that all GPUs ran, over the fastest of each."""
    found: defaultdict[Variant, list[float]] = defaultdict(list)
    for case in cases:
        for each in case.variants:
            slowdown = each.measurement.time_us / case.measured_best
            found[variant_of(spec, each.measurement.parameters)].append(slowdown)
    return {variant: slowdowns for variant, slowdowns in found.items() if len(slowdowns) == len(cases)}


def main() -> None:
    """Measure and print."""
    command = parser(__doc__)
    command.add_argument("--gpu", default="h200,h100-sxm")
    command.add_argument("--families", default=",".join(PROBLEMS), help="only these")
    command.add_argument("--worst", type=int, default=3, help="number of cases to list that lose most")
    command.add_argument("--jobs", type=int, default=1)
    asked = command.parse_args()
    gpus = asked.gpu.split(",")
    by_name: defaultdict[str, list[Case]] = defaultdict(list)
    for gpu in gpus:
        for case in cases_of(gpu, asked.families.split(","), asked.jobs):
            by_name[case.name].append(case)
    every = [choices(cases) for cases in by_name.values() if len(cases) == len(gpus)]
    shown = figures(
        f"one variant for {asked.gpu}", "chosen by", "cases", "slowdown", "least", "above", "at worst"
    )
    for name in STATISTICS:
        found = sorted((each[name] for each in every), key=lambda choice: -choice.above)
        columns = [mean(choice.slowdown - 1 for choice in found), mean(choice.least - 1 for choice in found)]
        columns += [mean(choice.above for choice in found), found[0].above]
        shown.add_row(name, str(len(found)), *(f"{column:.2%}" for column in columns))
        for choice in found[: asked.worst]:
            console().print(f"{name}: {choice.name} is {choice.above:.1%} above the best choice")
    console().print(shown)


if __name__ == "__main__":
    main()
