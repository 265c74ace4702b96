"""The variants worth measuring."""

from collections.abc import Iterator, Sequence
from typing import Any

from dse.answers.measuring import to_measure
from dse.store import VariantRecord

DRAM, FMA = {"dram": 0.9, "fma": 0.2}, {"dram": 0.3, "fma": 0.9}


def trial(index: int, time: float, code: int | None = None) -> VariantRecord:
    return VariantRecord("h200", index, index, {"unroll": index}, time, registers=32, code_bytes=code)


def chosen(trials: list[VariantRecord], count: int, *busy: dict[str, float]) -> list[int]:
    def read(some: Sequence[VariantRecord]) -> Iterator[tuple[int, dict[str, Any]]]:
        for each in some:
            busiest = busy[each.number] if busy else {}
            yield each.number, {"time_us": each.score, "utilisation": busiest}

    return [each.point_index for each in to_measure(trials, read, count)]


def test_the_first_is_the_best_and_the_next_are_fast_and_load_the_gpu_otherwise() -> None:
    trials = [trial(0, 100.0), trial(1, 100.5), trial(2, 101.0), trial(3, 101.2), trial(4, 150.0)]
    assert chosen(trials, 2, DRAM, DRAM, DRAM, FMA, FMA) == [0, 3]
    assert chosen(trials, 2, DRAM, FMA, DRAM, DRAM, FMA) == [0, 1]
    assert sorted(chosen(trials, 9)) == [0, 1, 2, 3, 4]


def test_the_same_machine_code_is_measured_once() -> None:
    trials = [trial(0, 100.0, 512), trial(1, 100.0, 512), trial(2, 101.0, 512)]
    assert chosen(trials, 3) == [0, 2]
    assert chosen([trial(0, 100.0), trial(1, 100.0)], 3) == [0, 1]
