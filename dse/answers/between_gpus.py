"""One GPU against another: how many times faster each is than the sweep's first, with its own best variant."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

from dse.answers.best import Best
from dse.answers.traffic import is_almost_all, share_from_l2
from dse.store.records import SweepSpec
from dse.tables.text import microseconds, variant
from search_spaces import Point
from simcore.diagnosis.interval import MEASURED_LABELS

#: How far such a ratio is off: `python -m benchmarks.simulator.ties`, the only two GPUs that were measured.
MEASURED = (
    "How far off such a ratio may be was measured only for an H100 SXM against an H200: over 73 kernels and problems "
    "by 4% on average, and for 95% of them by at most 12%."
)
UNMEASURED = "No GPU with an extrapolated profile has been measured, so a ratio with one may be further off."
SAMPLED = (
    "A sampler tried different variants on each GPU, so a GPU may look slower than it is if its good variants were not "
    "tried."
)
WARM = (
    "From L2: caches are warm, so data stay in L2 between launches, and a GPU whose L2 holds all of them gains most; "
    "`cache: cold` in the space times a launch with empty caches."
)


@dataclass(frozen=True)
class GpuRatio:
    """The best variant of a GPU for a workload, beside that of the sweep's first GPU.

    Attributes:
        workload: the workload parameters' values; None for the geometric mean over all of them.
        gpu: GPU name.
        label: how far its profile can be trusted.
        time_us: predicted time of its best variant; None for the mean.
        ratio: how many times faster it is than the first GPU.
        from_l2: the share of its data that come from L2, which was warm, if it waits for memory.
    """

    workload: Point | None
    gpu: str
    label: str
    time_us: float | None
    ratio: float
    from_l2: float | None = None


def between_gpus(spec: SweepSpec, winners: Sequence[Best]) -> list[GpuRatio]:
    """Each GPU relative to the first, by workload, and over all workloads; empty unless several were timed."""
    if spec.objectives[0][1] != "time_us" or len({best.gpu for best in winners}) < 2:
        return []
    found = [each for workload in spec.workloads for each in _of_workload(spec, winners, workload)]
    return [*found, *_means(found)]


def _of_workload(spec: SweepSpec, winners: Sequence[Best], workload: Point) -> Iterator[GpuRatio]:
    here = {best.gpu: best for best in winners if best.workload == workload}
    first = here.get(spec.gpus[0])
    if first is None or not first.time_us:
        return
    for best in here.values():
        if best.time_us:
            ratio = first.time_us / best.time_us
            yield GpuRatio(
                workload, best.gpu, best.label, best.time_us, ratio, share_from_l2(best.trial.metrics)
            )


def _means(found: Sequence[GpuRatio]) -> Iterator[GpuRatio]:
    """The geometric mean of each GPU's ratios, if there are several workloads."""
    for gpu, label in {each.gpu: each.label for each in found}.items():
        ratios = [each.ratio for each in found if each.gpu == gpu]
        if len(ratios) > 1:
            yield GpuRatio(None, gpu, label, None, prod(ratios) ** (1 / len(ratios)))


def in_a_line(found: Sequence[GpuRatio]) -> str:
    """How many times faster each other GPU is than the first, over all workloads; empty without another one."""
    over_all = {
        each.gpu: each for each in found
    }  # the last of a GPU is its mean, if there are several workloads
    first, *others = over_all.values() or (None,)
    if first is None or not others:
        return ""
    ratios = ", ".join(f"{each.gpu} {each.ratio:.2f}x" for each in others)
    mean = " (geometric means over the workloads)" if first.workload is None else ""
    return f"times as fast as {first.gpu}, each with its best variant: {ratios}{mean}"


def worth(spec: SweepSpec, found: Sequence[GpuRatio]) -> list[str]:
    """What to know before such a ratio decides anything."""
    if not found:
        return []
    notes = [MEASURED]
    if any(each.label not in MEASURED_LABELS for each in found):
        notes[0] += f" {UNMEASURED}"
    if not spec.is_exhaustive:
        notes.append(SAMPLED)
    return [*notes, *([WARM] if any(map(_is_warm, found)) else [])]


def _is_warm(ratio: GpuRatio) -> bool:
    return ratio.from_l2 is not None and is_almost_all(ratio.from_l2)


def as_table(found: Sequence[GpuRatio]) -> tuple[list[str], list[list[str]]]:
    """The headings and cells of the ratios; the last two columns are numbers.

    Where data come from is shown if those of one GPU stay in its L2, and then of each that waits for memory.
    """
    is_warm = any(map(_is_warm, found))
    head = ["workload", "GPU", "profile", "data", "time", f"times as fast as {found[0].gpu}"]
    rows = [
        [
            variant(each.workload) if each.workload is not None else "all: geometric mean",
            each.gpu,
            each.label,
            f"{each.from_l2:.0%} from L2" if is_warm and each.from_l2 is not None else "",
            microseconds(each.time_us) if each.time_us else "",
            f"{each.ratio:.2f}x",
        ]
        for each in found
    ]
    kept = [place for place in range(len(head)) if any(row[place] for row in rows)]
    return [head[place] for place in kept], [[row[place] for place in kept] for row in rows]
