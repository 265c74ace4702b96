"""Between which times a launch is: wider on GPUs that were not measured, and right for most that were."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from simcore import simulate
from simcore.diagnosis.interval import interval, limit_of, measured_errors
from simcore.validation import read_measurements

FAMILIES = Path(__file__).parents[2] / "silicon" / "h200" / "families.jsonl.gz"


@given(
    st.floats(1, 1e6),
    st.sampled_from([*measured_errors(), "bandwidth (of something new)"]),
    st.floats(0, 0.5),
)
def test_it_holds_the_prediction_and_grows_with_what_is_not_known(
    time_us: float, limit: str, error: float
) -> None:
    low, high = interval(time_us, limit, "calibrated", 0.0)
    assert low < time_us < high
    for label, time_error in (("extrapolated", 0.0), ("what if", 0.0), ("calibrated", error)):
        wider = interval(time_us, limit, label, time_error)
        assert wider[0] <= low
        assert wider[1] >= high
    assert interval(time_us, limit, "derived", 0.0) == (low, high)


def test_bandwidth_is_told_apart_by_whose_it_is() -> None:
    assert limit_of("bandwidth", 0.2, {"dram": 0.9, "l2": 0.5}) == "bandwidth (DRAM)"
    assert limit_of("bandwidth", 0.2, {"dram": 0.3, "l2": 0.5}) == "bandwidth"
    assert limit_of("compute", 0.2, {"fma": 0.9}) == "compute"


def test_most_measured_times_are_between_them() -> None:
    measured = read_measurements(FAMILIES).measurements[::60]
    within = []
    for m in measured:
        assert m.recipe is not None
        result = simulate(**m.recipe.launch("h200"))
        within.append(result.time_low_us <= m.time_us <= result.time_high_us)
    assert sum(within) >= 0.75 * len(measured)
