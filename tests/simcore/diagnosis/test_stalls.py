"""The regime and the advice follow Nsight's order: busy units first, then the dominant stall."""

from collections.abc import Mapping
from types import MappingProxyType

import pytest

from simcore.diagnosis.advice import Diagnosis, diagnose
from simcore.diagnosis.stalls import REASONS, reasons_on
from simcore.diagnosis.units import regime_in_words
from simcore.gpu_profiles import load_gpu
from simcore.model.occupancy import Occupancy, occupancy

FULL = occupancy(load_gpu("h200"), 256, 32, 0)
HALF = occupancy(load_gpu("h200"), 256, 64, 0)


def _diagnose(
    stalls: dict[str, float],
    issue: float = 0.3,
    achieved: float = 1.0,
    fits: Occupancy = FULL,
    memory: Mapping[str, float] = MappingProxyType({}),
    **units: float,
) -> Diagnosis:
    idle = {"dram": 0.1, "l2": 0.1}
    return diagnose({"selected": 1.0, **stalls}, issue, {**idle, **units}, achieved, fits, memory)


def test_reasons_are_those_of_nsight_by_architecture() -> None:
    names = {reason.name for reason in REASONS}
    assert len(names) == len(REASONS) == 19
    assert names - set(reasons_on("sm_80")) == {"gmma"}
    assert names - set(reasons_on("sm_90")) == set()
    assert names - set(reasons_on("sm_100")) == {"gmma", "imc_miss"}


@pytest.mark.parametrize(
    ("reason", "regime"),
    [
        ("long_scoreboard", "latency"),
        ("short_scoreboard", "latency"),
        ("wait", "latency"),
        ("no_instruction", "latency"),
        ("branch_resolving", "latency"),
        ("imc_miss", "latency"),
        ("barrier", "synchronization"),
        ("membar", "synchronization"),
        ("lg_throttle", "bandwidth"),
        ("mio_throttle", "bandwidth"),
        ("drain", "bandwidth"),
        ("math_pipe_throttle", "compute"),
        ("dispatch_stall", "compute"),
    ],
)
def test_the_dominant_stall_decides_while_no_unit_is_busy(reason: str, regime: str) -> None:
    got = _diagnose({reason: 5.0, "wait": 2.0} if reason != "wait" else {"wait": 5.0})
    assert (got.regime, got.bottleneck) == (regime, reason)
    assert any(sentence.startswith(f"{reason}: ") for sentence in got.advice)


@pytest.mark.parametrize(
    ("busy", "regime"),
    [
        ({"dram": 0.92}, "bandwidth"),
        ({"l2": 0.85}, "bandwidth"),
        ({"issue": 0.95}, "compute"),
        ({"fma": 0.97, "lsu": 0.2}, "compute"),
        ({"lsu": 0.9}, "bandwidth"),
        ({"tags": 0.9, "fma": 0.5}, "bandwidth"),
        ({"issue": 0.85, "dram": 0.95}, "bandwidth"),
    ],
)
def test_a_unit_near_its_peak_decides_before_any_stall(busy: dict[str, float], regime: str) -> None:
    got = _diagnose({"barrier": 9.0}, fits=FULL, memory={}, **busy)
    assert (got.regime, got.bottleneck) == (regime, "barrier")
    assert ("of peak" if regime == "compute" else "of the time") in got.advice[0]


def test_the_share_is_stated_as_nsight_states_it() -> None:
    got = _diagnose({"long_scoreboard": 4.0, "wait": 1.0, "barrier": 2.0})
    assert "This stall is 50% of the 8.0 cycles between two issues of a warp." in got.advice[1]


def test_waiting_for_idle_memory_asks_for_more_loads_in_flight() -> None:
    (sentence,) = [s for s in _diagnose({"long_scoreboard": 9.0}).advice if s.startswith("long_scoreboard")]
    assert "more independent loads" in sentence
    assert "DRAM is busy 10% of the time" in sentence


def test_waiting_for_saturated_memory_asks_for_fewer_bytes() -> None:
    got = _diagnose({"long_scoreboard": 9.0}, dram=0.93)
    assert got.advice[0].startswith("The DRAM is busy 93% of the time: move fewer bytes")
    assert "independent loads" not in " ".join(got.advice)


def test_a_saturated_l1_is_told_to_do_what_is_left_to_do() -> None:
    wide = {"sectors_per_load": 16.0}
    narrow = {"sectors_per_load": 4.0, "bank_conflicts": 0.5}
    first = [
        _diagnose({"long_scoreboard": 9.0}, lsu=0.97, memory=memory).advice[0] for memory in (wide, narrow)
    ]
    assert "97% of the time: move fewer bytes through it" in first[0]
    assert "use wider accesses, remove bank conflicts (50% of" in first[1]


def test_waiting_for_a_saturated_l1_asks_for_no_more_loads() -> None:
    got = _diagnose({"long_scoreboard": 9.0}, lsu=0.99)
    assert "is the limit: the loads queue for it" in got.advice[1]
    assert "room" not in " ".join(got.advice)


def test_stalls_do_not_matter_while_every_cycle_issues() -> None:
    got = _diagnose({"not_selected": 6.0, "wait": 2.0}, issue=0.97)
    assert got.regime == "compute"
    assert got.advice[0].startswith("The issue slots run at 97% of peak")
    assert "more registers each" in got.advice[-1]
    assert len(got.advice) == 2


def test_low_occupancy_is_named_when_latency_is_the_limit() -> None:
    got = _diagnose({"long_scoreboard": 9.0}, fits=HALF, achieved=0.3)
    assert any("50% of the warp slots can be filled, limited by registers" in line for line in got.advice)
    assert any("30% of the warp slots are filled on average" in line for line in got.advice)
    barrier = _diagnose({"barrier": 9.0}, fits=HALF, achieved=0.3)
    assert not any("warp slots" in line for line in barrier.advice)


def test_a_kernel_that_does_nothing_still_has_a_diagnosis() -> None:
    got = diagnose({}, 0.0, {}, 0.0, FULL, {})
    assert got.advice[0] == "The schedulers issue nothing."


def test_a_lack_of_bandwidth_names_the_unit_or_the_queue() -> None:
    assert regime_in_words("bandwidth", "barrier", 0.85, {"l2": 0.95}) == "bandwidth (L2)"
    assert regime_in_words("bandwidth", "lg_throttle", 0.3, {"l2": 0.5}) == "bandwidth (lg_throttle)"
    assert regime_in_words("latency", "wait", 0.3, {"l2": 0.5}) == "latency"
    assert regime_in_words("compute", "wait", 0.3, {"fma": 0.9}) == "compute (FP32)"


def test_an_unknown_reason_is_refused() -> None:
    with pytest.raises(ValueError, match="no such stall reason: tired"):
        _diagnose({"tired": 1.0})


def test_an_unknown_unit_is_refused() -> None:
    with pytest.raises(ValueError, match="no such unit: toaster"):
        _diagnose({"wait": 1.0}, toaster=0.5)
