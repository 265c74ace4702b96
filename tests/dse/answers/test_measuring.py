"""The variants worth measuring."""

from dse.answers.measuring import to_measure
from dse.store import VariantRecord

PARAMETERS = {"unroll": (1, 2, 4, 8), "register_cap": (None, 32)}


def trial(index: int, unroll: int, cap: int | None, time: float, code: int | None = None) -> VariantRecord:
    parameters = {"unroll": unroll, "register_cap": cap}
    return VariantRecord("h200", index, index, parameters, time, registers=32, code_bytes=code)


def chosen(trials: list[VariantRecord], count: int) -> list[int]:
    return [each.point_index for each in to_measure(trials, PARAMETERS, count)]


def test_the_first_is_the_best_and_the_next_are_fast_and_unlike_it() -> None:
    trials = [
        trial(0, 8, None, 100.0),
        trial(1, 4, None, 100.5),
        trial(2, 4, 32, 101.0),
        trial(3, 1, 32, 101.2),
        trial(4, 2, 32, 150.0),
    ]
    assert chosen(trials, 3) == [0, 3, 2]
    assert sorted(chosen(trials, 9)) == [0, 1, 2, 3, 4]


def test_the_same_machine_code_is_measured_once() -> None:
    trials = [trial(0, 8, None, 100.0, 512), trial(1, 8, 32, 100.0, 512), trial(2, 4, None, 101.0, 512)]
    assert chosen(trials, 3) == [0, 2]
    unknown = [trial(0, 8, None, 100.0), trial(1, 8, 32, 100.0)]
    assert chosen(unknown, 3) == [0, 1]
