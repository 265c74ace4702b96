"""Which lanes store in one attempt of a compare-and-store to shared memory, as on an H200."""

from pathlib import Path

from benchmarks.simulator.shared_attempts import differing

MEASURED = Path(__file__).parents[3] / "silicon" / "h200" / "shared_attempts.npz"


def test_the_first_lane_of_each_bank_stores() -> None:
    """Of singles and doubles; each thirtieth of 4,650 warps, and there all that are regular end to end."""
    assert differing(MEASURED, every=31) == {"singles": 0, "doubles": 0}
