"""One variant for all GPUs and workloads, the portability matrix, and sets of a few."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from dse.answers.cases import cases_of
from dse.answers.portability import Portability, find_portable, parse_weights
from dse.errors import InputError
from dse.store import SweepSpec, VariantRecord

SPEC = SweepSpec(
    name="dot", space_yaml="", source="", gpus=("a", "b", "c"), parameters={"unroll": (1, 2, 4, 8)}
)
#: Times by GPU and unroll: each GPU has its own best, and unroll 4 is second everywhere.
TIMES = {"a": (10.0, 20.0, 11.0, 40.0), "b": (20.0, 10.0, 11.5, 40.0), "c": (30.0, 20.0, 12.0, 10.0)}


def portable(
    times: Mapping[str, tuple[float | None, ...]] = TIMES,
    weights: Mapping[str, float] | None = None,
    within: float = 0.05,
    spec: SweepSpec = SPEC,
) -> Portability:
    trials = [
        VariantRecord(gpu, index, index, {"unroll": 2**index}, time)
        for gpu, column in times.items()
        for index, time in enumerate(column)
        if time is not None
    ]
    return find_portable(spec, cases_of(spec, trials), weights, within)


def test_the_least_worst_and_the_least_mean_slowdown() -> None:
    found = portable()
    assert found.minimax.parameters == found.mean.parameters == {"unroll": 4}
    assert found.minimax.ratios == pytest.approx((1.1, 1.15, 1.2))
    assert (found.minimax.worst, found.mean.mean) == pytest.approx((1.2, 1.15))
    weighted = portable(weights={"a": 0.95, "b": 0.05})
    assert weighted.mean.parameters == {"unroll": 1}
    assert weighted.mean.mean == pytest.approx(1.05)
    assert weighted.minimax.parameters == {"unroll": 4}


def test_the_matrix_says_what_each_best_variant_loses_elsewhere() -> None:
    found = portable()
    assert [str(case) for case in found.cases] == ["a", "b", "c"]
    assert [row.parameters["unroll"] for row in found.tuned] == [1, 2, 8]
    assert [row.ratios for row in found.tuned] == [(1.0, 2.0, 3.0), (2.0, 1.0, 2.0), (4.0, 4.0, 1.0)]


def test_the_smallest_set_within_a_slowdown() -> None:
    found = portable(within=0.15)
    assert [len(each.variants) for each in found.sets] == [1, 2, 3]
    assert [each.worst for each in found.sets] == pytest.approx([1.2, 1.15, 1.0])
    assert found.smallest == found.sets[1]
    assert {each["unroll"] for each in found.sets[1].variants} == {4, 8}
    assert portable(within=0.25).smallest == found.sets[0]
    assert [each["unroll"] for each in portable(within=0).sets[2].variants] == [1, 2, 8]


def test_variants_that_failed_somewhere_are_not_portable() -> None:
    found = portable(TIMES | {"c": (30.0, 20.0, None, 10.0)})
    assert found.candidates == 3
    assert found.minimax.parameters == {"unroll": 2}
    lost = portable(TIMES | {"a": (None, 20.0, 11.0, 40.0), "c": (30.0, 20.0, None, 10.0)})
    assert (lost.tuned[0].ratios[2], lost.tuned[0].worst) == (None, None)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ({"a": 0.5}, r"weights a=0.5 add up to 0.5; they must add up to 1"),
        ({"a": 0.5, "x": 0.5}, r"weight of x, which the sweep does not have .*it has a, b, c"),
        ({"a": 1.5, "b": -0.5}, r"weight b=-0.5: must be 0 or more"),
        ({"a": float("nan")}, "must be 0 or more"),
    ],
)
def test_wrong_weights_are_refused(weights: dict[str, float], message: str) -> None:
    with pytest.raises(InputError, match=message):
        portable(weights=weights)


def test_weights_are_read_as_written() -> None:
    assert parse_weights(["a=0.25", " b = 0.75"]) == {"a": 0.25, "b": 0.75}
    assert parse_weights([]) is None
    with pytest.raises(InputError, match="write GPU=SHARE"):
        parse_weights(["a"])


def test_sweeps_without_an_answer_say_why() -> None:
    one = replace(SPEC, gpus=("a",))
    with pytest.raises(InputError, match="this sweep has a only"):
        portable({"a": TIMES["a"]}, spec=one)
    with pytest.raises(InputError, match="no complete trial on c yet"):
        portable({gpu: TIMES[gpu] for gpu in "ab"})
    apart = {"a": (1.0, None, None, None), "b": (None, 1.0, None, None), "c": (1.0, 1.0, None, None)}
    with pytest.raises(InputError, match="none of 2 variants completed on all"):
        portable(apart)
    with pytest.raises(InputError, match="time_us, which has a 0"):
        portable(TIMES | {"a": (0.0, 20.0, 11.0, 40.0)})


def test_one_gpu_with_several_workloads_has_a_portable_variant() -> None:
    spec = replace(SPEC, gpus=("a",), parameters={"n": (1, 2), "unroll": (1, 2)}, workload=("n",))
    trials = [
        VariantRecord("a", place, place, {"n": n, "unroll": unroll}, time)
        for place, (n, unroll, time) in enumerate([(1, 1, 10.0), (1, 2, 12.0), (2, 1, 30.0), (2, 2, 10.0)])
    ]
    found = find_portable(spec, cases_of(spec, trials))
    assert [str(case) for case in found.cases] == ["a n=1", "a n=2"]
    assert found.minimax.parameters == {"unroll": 2}
    assert found.minimax.worst == pytest.approx(1.2)
