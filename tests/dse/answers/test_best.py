"""The best of each GPU and workload, its ties, what they share, and which one to take."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import pytest

from dse.answers.best import Best, find_best
from dse.answers.between_gpus import as_table, between_gpus, in_a_line, worth
from dse.answers.cases import cases_of
from dse.answers.summary import in_short, taken_once, taken_rows
from dse.evaluation.tasks import Outcome
from dse.store import SweepSpec, TrialRecord, VariantRecord
from dse.store.records import Place
from search_spaces import Point, Value

SPEC = SweepSpec(
    name="dot",
    space_yaml="",
    source="",
    gpus=("h200", "b200"),
    parameters={"unroll": (1, 2, 4, 8), "block_size": (64, 128), "register_cap": (None, 32)},
)
POINTS = [
    {"unroll": unroll, "block_size": block, "register_cap": cap}
    for unroll in (1, 2, 4, 8)
    for block in (64, 128)
    for cap in (None, 32)
]
REGIMES = "compute", "latency"
LABELS = {"h200": "calibrated", "b200": "extrapolated"}


def answer(
    time: Callable[[str, Point], float | None],
    spec: SweepSpec = SPEC,
    points: Sequence[Point] = POINTS,
    registers: Callable[[Point], int] = lambda point: 32,
    code: Callable[[Point], int | None] = lambda point: None,
    local: Callable[[Point], int] = lambda point: 0,
    same: Callable[[int, Point], int | None] = lambda index, point: None,
) -> list[Best]:
    """The answer of a sweep whose objective is computed by `time`, None for a failed trial."""
    found = [
        VariantRecord(
            gpu,
            index,
            index,
            point,
            score,
            registers(point),
            code(point),
            local_bytes=local(point),
            same_code_as=same(index, point),
        )
        for gpu in spec.gpus
        for index, point in enumerate(points)
        if (score := time(gpu, point)) is not None
    ]

    def read(places: Iterable[Place]) -> list[TrialRecord]:
        by_place = {each.place: each for each in found}
        return [whole(by_place[place]) for place in places]

    return find_best(spec, cases_of(spec, found), read)


def whole(trial: VariantRecord) -> TrialRecord:
    outcome = Outcome("", "complete", metrics={"time_us": trial.score, "label": LABELS[trial.gpu]})
    number = trial.point_index
    return TrialRecord(
        number, trial.gpu, trial.point_index, trial.parameters, outcome, sweep_id=1, mlflow_run_id=None
    )


def limited(trial: TrialRecord, regime: str) -> TrialRecord:
    return replace(trial, result=replace(trial.result, metrics={**trial.metrics, "regime": regime}))


def of_unroll(gpu: str, point: Point) -> float:
    return {1: 200.0, 2: 150.0, 4: 100.5, 8: 100.0}[int(str(point["unroll"]))]


def test_ties_are_counted_and_put_in_words() -> None:
    h200, b200 = answer(of_unroll)
    assert (h200.gpu, h200.label, b200.label) == ("h200", "calibrated", "extrapolated")
    assert (h200.ties, h200.complete) == (8, 16)
    assert h200.common == "unroll 4 or more; block_size and register_cap do not matter"
    assert [(each.parameter, each.values) for each in h200.shared] == [
        ("unroll", (4, 8)),
        ("block_size", (64, 128)),
        ("register_cap", (None, 32)),
    ]
    assert h200.filter == f"gpu = 'h200' and metrics.time_us <= {100 * (1 + h200.tolerance)!r}"
    assert b200.tolerance > h200.tolerance
    assert (h200.codes, h200.tied) == (8, "8 of 16")


def test_ties_of_the_same_machine_code_are_counted_once_as_codes() -> None:
    def without_cap(index: int, point: Point) -> int | None:
        return index - 1 if point["register_cap"] == 32 else None

    h200, _ = answer(of_unroll, same=without_cap)
    assert (h200.ties, h200.codes, h200.tied) == (8, 4, "8 of 16, 4 codes")
    one, _ = answer(lambda gpu, point: 100.0, points=POINTS[:2], same=without_cap)
    assert one.tied == "2 of 2, 1 code"


@pytest.mark.parametrize(
    ("fast", "words"),
    [
        ({1, 2, 4, 8}, "unroll, block_size and register_cap do not matter"),
        ({1, 2}, "unroll 2 or less; block_size and register_cap do not matter"),
        ({2, 4}, "unroll 2 to 4; block_size and register_cap do not matter"),
        ({1, 8}, "unroll 1 or 8; block_size and register_cap do not matter"),
        ({4}, "unroll 4; block_size and register_cap do not matter"),
    ],
)
def test_values_are_named_as_a_person_would(fast: set[int], words: str) -> None:
    best, _ = answer(lambda gpu, point: 100.0 if point["unroll"] in fast else 200.0)
    assert best.common == words


def test_a_value_that_only_some_ties_may_have_is_not_said_to_be_free() -> None:
    def time(gpu: str, point: Point) -> float:
        return 200.0 if point["unroll"] == 8 and point["block_size"] == 128 else 100.0

    best, _ = answer(time)
    assert best.common.startswith("register_cap does not matter; ")
    single, _ = answer(time, points=[point for point in POINTS if point["block_size"] == 64])
    assert single.common == "unroll and register_cap do not matter"


def test_where_nearly_all_tie_the_others_are_named() -> None:
    few, _ = answer(lambda gpu, point: 20 if point["unroll"] == 1 and point["block_size"] == 64 else 10)
    assert few.common == "register_cap does not matter; the 2 others all have unroll 1 and block_size 64"
    one, _ = answer(lambda gpu, point: 20 if point == POINTS[0] else 10)
    assert one.common == "nothing; the other one has unroll 1, block_size 64 and register_cap none"
    mixed, _ = answer(lambda gpu, point: 20 if point in (POINTS[0], POINTS[-1]) else 10)
    assert mixed.common == "nothing; the 2 others all have unroll 1 or 8"


def test_a_failed_variant_is_no_tie() -> None:
    best, _ = answer(lambda gpu, point: None if point["register_cap"] == 32 else of_unroll(gpu, point))
    assert (best.ties, best.complete) == (4, 8)
    assert best.common == "unroll 4 or more; block_size does not matter"


@pytest.mark.parametrize("registers", [24, 40])
def test_a_register_cap_that_changes_nothing_or_is_not_kept_is_not_recommended(registers: int) -> None:
    for best in answer(lambda gpu, point: 1.0, points=POINTS[::-1], registers=lambda point: registers):
        assert best.recommended.parameters["register_cap"] is None
    smaller = answer(
        lambda gpu, point: 1.0, registers=lambda point: registers - (point["register_cap"] == 32)
    )
    for best in smaller:
        assert best.recommended.parameters["register_cap"] == (32 if registers == 24 else None)


def test_the_recommended_tie_is_robust_then_small() -> None:
    def time(gpu: str, point: Point) -> float:
        slow_elsewhere = gpu == "b200" and point["unroll"] == 8
        return 180.0 if slow_elsewhere else of_unroll(gpu, point)

    robust, _ = answer(time)
    assert robust.trial.parameters["unroll"] == 8
    assert robust.recommended.parameters["unroll"] == 4
    assert robust.slowdown == robust.worst_slowdown == pytest.approx(0.005)
    fewer, _ = answer(of_unroll, registers=lambda point: 40 if point["register_cap"] is None else 32)
    assert fewer.recommended.parameters["register_cap"] == 32
    shorter, _ = answer(of_unroll, code=lambda point: 100 * int(str(point["unroll"])))
    assert shorter.recommended.parameters["unroll"] == 4
    fastest, _ = answer(of_unroll)
    assert fastest.recommended == fastest.trial


def test_each_workload_has_its_own_ties() -> None:
    spec = SweepSpec("dot", "", "", ("h200",), {"n": (64, 512), "unroll": (1, 2)}, workload=("n",))
    points: list[Point] = [{"n": n, "unroll": unroll} for n in (64, 512) for unroll in (1, 2)]
    small, large = answer(
        lambda gpu, point: (
            10.0 * int(str(point["n"])) / (1 if point["n"] == 64 else int(str(point["unroll"])))
        ),
        spec,
        points,
    )
    assert (dict(small.workload), small.ties, small.common) == ({"n": 64}, 2, "unroll does not matter")
    assert (dict(large.workload), large.ties, large.common) == ({"n": 512}, 1, "unroll 2")
    assert "params.n = 512" in large.filter


def test_counted_objectives_tie_only_if_equal_and_maximised_ones_are_above() -> None:
    spec = SweepSpec("dot", "", "", ("h200",), {"unroll": (1, 2, 4)}, objectives=(("maximize", "ipc"),))
    points: list[Point] = [{"unroll": unroll} for unroll in (1, 2, 4)]
    (best,) = answer(lambda gpu, point: -2.0 if point["unroll"] == 4 else -1.999, spec, points)
    assert (best.ties, best.tolerance) == (1, 0)
    assert best.filter.endswith("metrics.ipc >= 2.0")


def test_a_best_value_of_zero_has_no_ratio() -> None:
    spec = SweepSpec(
        "dot", "", "", ("h200", "b200"), {"unroll": (1, 2)}, objectives=(("minimize", "l2_bytes"),)
    )
    best, other = answer(
        lambda gpu, point: float(gpu == "b200" or point["unroll"] == 2), spec, [{"unroll": 1}, {"unroll": 2}]
    )
    assert (best.ties, best.slowdown, best.worst_slowdown) == (1, 0.0, 0.0)
    assert other.ties == 2


def test_a_sweep_without_a_complete_trial_has_no_answer() -> None:
    assert answer(lambda gpu, point: None) == []


def test_of_some_of_the_points_the_ties_say_of_how_many() -> None:
    best, _ = answer(of_unroll, replace(SPEC, sampler="surrogate"), POINTS[:12])
    assert best.common.endswith("do not matter (of the 12 variants that completed)")
    running, _ = answer(of_unroll, replace(SPEC, total=32), POINTS[4:])
    assert running.common.endswith("(of the 12 variants that completed)")
    assert answer(of_unroll, replace(SPEC, total=32))[0].common.endswith("do not matter")


def test_what_was_tried_around_the_best_is_one_parameter_away() -> None:
    best, _ = answer(lambda gpu, point: of_unroll(gpu, point) + (point["block_size"] == 128))
    assert best.parameters == {"unroll": 8, "block_size": 64, "register_cap": None}
    assert best.tried == "tried around it: register_cap=32 +0.0%, unroll=4 +0.5%, block_size=128 +1.0%"
    alone, _ = answer(of_unroll, points=POINTS[:1])
    assert alone.tried == ""


def test_a_neighbour_that_spills_is_named_with_what_keeps_it_from_that() -> None:
    def spills(point: Point) -> bool:
        return point["unroll"] == 8 and point["register_cap"] == 32

    def time(gpu: str, point: Point) -> float:
        if spills(point):
            return 1000.0
        times: dict[tuple[Value, Value], float] = {(4, 32): 100.0, (8, None): 105.0}
        return times.get((point["unroll"], point["register_cap"]), 200.0)

    capped = [point for point in POINTS if point["unroll"] in (4, 8) and point["block_size"] == 64]
    best, _ = answer(time, points=capped, local=lambda point: 64 * spills(point))
    assert best.tried == (
        "tried around it: register_cap=none +100.0%, unroll=8 +900.0% (spills; with register_cap=none +5.0%)"
    )


def test_gpus_are_related_to_the_first_by_workload_and_over_all() -> None:
    spec = SweepSpec("dot", "", "", ("h200", "b200"), {"n": (64, 512), "unroll": (1, 2)}, workload=("n",))
    points: list[Point] = [{"n": n, "unroll": unroll} for n in (64, 512) for unroll in (1, 2)]

    def time(gpu: str, point: Point) -> float:
        fast = {"h200": 1, "b200": 2 if point["n"] == 64 else 8}[gpu]
        return 100.0 / fast / int(str(point["unroll"]))

    found = between_gpus(spec, answer(time, spec, points))
    assert [(each.workload, each.gpu, each.ratio) for each in found] == [
        ({"n": 64}, "h200", 1.0),
        ({"n": 64}, "b200", 2.0),
        ({"n": 512}, "h200", 1.0),
        ({"n": 512}, "b200", 8.0),
        (None, "h200", 1.0),
        (None, "b200", pytest.approx(4.0)),
    ]
    head, rows = as_table(found)
    assert head == ["workload", "GPU", "profile", "time", "times as fast as h200"]
    assert rows[3] == ["n=512", "b200", "extrapolated", "6.25 µs", "8.00x"]
    assert in_a_line(found) == (
        "times as fast as h200, each with its best variant: b200 4.00x (geometric means over the workloads)"
    )
    assert in_a_line(found[:2]) == "times as fast as h200, each with its best variant: b200 2.00x"
    (measured,) = worth(spec, found)
    assert "No GPU with an extrapolated profile has been measured" in measured
    assert len(worth(replace(spec, sampler="tpe"), found)) == 2


def test_where_data_come_from_is_shown_of_each_gpu_that_waits_if_one_has_them_in_l2() -> None:
    def waiting(best: Best, dram_bytes: float) -> Best:
        metrics = {
            "regime": "bandwidth",
            "bottleneck": "lg_throttle",
            "dram_bytes": dram_bytes,
            "l2_bytes": 1e9,
        }
        result = replace(best.trial.result, metrics={**best.trial.metrics, **metrics})
        return replace(best, trial=replace(best.trial, result=result))

    for dram_bytes, shown in ((0.0, [["16% from L2"], ["100% from L2"]]), (4e8, [[], []])):
        h200, b200 = answer(of_unroll)
        found = between_gpus(SPEC, [waiting(h200, 8.4e8), waiting(b200, dram_bytes)])
        head, rows = as_table(found)
        assert ("data" in head) == bool(shown[0])
        assert [[cell for cell in row if "L2" in cell] for row in rows] == shown


def test_one_gpu_is_related_to_none_nor_is_what_has_no_time() -> None:
    alone = replace(SPEC, gpus=("h200",))
    assert between_gpus(alone, answer(of_unroll, alone)) == []
    counted = replace(SPEC, objectives=(("minimize", "cycles"),))
    assert between_gpus(counted, answer(of_unroll, counted)) == []


def test_a_variant_is_taken_once_wherever_it_is_the_one() -> None:
    winners = answer(of_unroll)
    (taken,) = taken_once(SPEC, winners)
    assert (taken.cases, taken.variant) == (["h200", "b200"], "unroll=8 block_size=64 register_cap=none")
    assert [where for where, _ in taken.said(taken.common)] == [""]
    *_, take, ratio = in_short(SPEC, winners, lambda trial: 2.0)
    assert take == "Take `unroll=8 block_size=64 register_cap=none` on all of them."
    assert ratio == "`b200` is 1.00 times as fast as `h200`."


def test_in_short_names_the_workload_unless_all_are_limited_alike() -> None:
    spec = SweepSpec("dot", "", "", ("h200",), {"n": (64, 512), "unroll": (1, 2)}, workload=("n",))
    points: list[Point] = [{"n": n, "unroll": unroll} for n in (64, 512) for unroll in (1, 2)]
    alike = answer(lambda gpu, point: float(str(point["n"])), spec, points)
    assert in_short(spec, alike, lambda trial: None)[0].startswith("`h200`: 64 to 512 µs; limited by")
    apart = [replace(best, trial=limited(best.trial, at)) for best, at in zip(alike, REGIMES, strict=True)]
    first, second, *_ = in_short(spec, apart, lambda trial: None)
    assert first.startswith("`h200 n=64`: ")
    assert second.startswith("`h200 n=512`: ")


def test_a_variant_that_is_no_tie_elsewhere_says_where() -> None:
    def time(gpu: str, point: Point) -> float:
        return {"h200": 100.0, "b200": 50.0}[gpu] * (2 if (gpu == "b200") == (point["unroll"] == 1) else 1)

    spec = SweepSpec("dot", "", "", ("h200", "b200"), {"unroll": (1, 2)})
    first, second = taken_rows(spec, answer(time, spec, [{"unroll": 1}, {"unroll": 2}]))
    assert "at most 100.0% behind the best of each GPU and workload (on b200)" in first[3]
    assert "at most 100.0% behind the best of each GPU and workload (on h200)" in second[3]


def test_why_to_take_a_variant_is_said_once_even_if_tolerances_differ() -> None:
    def time(gpu: str, point: Point) -> float:
        """Unroll 2 is 15 % behind the best of the GPU with the larger tolerance, and the best of the other."""
        best = point["unroll"] == (1 if gpu == "b200" else 2)
        return 100.0 if best else 115.0 if gpu == "b200" else 150.0

    spec = SweepSpec("dot", "", "", ("h200", "b200"), {"unroll": (1, 2)})
    winners = answer(time, spec, [{"unroll": 1}, {"unroll": 2}])
    assert winners[0].tolerance < 0.15 < winners[1].tolerance
    ((_, _, variant, why),) = taken_rows(spec, winners)
    assert (variant, why) == ("unroll=2", "at most 15.0% behind the best of each GPU and workload (on b200)")
