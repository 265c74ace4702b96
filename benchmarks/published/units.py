"""How what a kernel took becomes a published quantity."""

from collections.abc import Callable

from benchmarks.published.runs import Took


def _per_cycle_and_sm(took: Took) -> float:
    return took.work / took.cycles / took.sms


def _billions_a_second(took: Took) -> float:
    return took.work / took.time_us / 1e3


UNITS: dict[str, Callable[[Took], float]] = {
    "cycles": lambda took: took.cycles / took.work,
    "ns": lambda took: 1e3 * took.time_us / took.work,
    "us": lambda took: took.time_us / took.work,
    "B/clk/SM": _per_cycle_and_sm,
    "results/clk/SM": _per_cycle_and_sm,
    "FMA/clk/SM": _per_cycle_and_sm,
    "GB/s": _billions_a_second,
    "Gops/s": _billions_a_second,
    "TFLOPS": lambda took: 2 * took.work / took.time_us / 1e6,
    "KiB": lambda took: took.work,
}
"""By unit: the quantity that a measurement amounts to. A multiply-add is two operations of TFLOPS, also of integers."""
