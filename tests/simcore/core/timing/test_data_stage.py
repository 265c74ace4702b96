"""Who holds the data stage of L1 and shared memory, as an H200 has it."""

from itertools import product

import pytest

from simcore import load_gpu, simulate
from testing.silicon_data import Measured, measured, point_of

GLOBAL_LOADS, SHARED_LOADS = 1, 2  # the eight loads of a round
# The special registers beside them: what lanes share, by S2UR, and what each reads, by S2R.
SMID, WARPID = 0, 1


@pytest.mark.parametrize(
    ("of", "kind", "special"), list(product((GLOBAL_LOADS, SHARED_LOADS), (SMID, WARPID), (2, 4, 8)))
)
def test_special_registers_take_the_data_stage_beside_loads(of: int, kind: int, special: int) -> None:
    """8 + n cycles for eight loads and n S2UR, 8 + 2 n for n S2R."""
    point = point_of(
        "special_among_hits", "special_among_hits", of=of, kind=kind, special=special, block_size=1024
    )
    assert simulate(**point.launch()).time_us == pytest.approx(point.time_us, rel=0.04)


def test_gathers_do_not_hold_up_special_registers() -> None:
    """A transposition whose loads gather 32 lines each: they queue for the data stage, and S2R passes between them."""
    point = point_of("families", "transpose_naive", tile_x=32, tile_y=8, scatter=0, size=512)
    stalls = simulate(**point.launch()).stalls
    assert max(stalls, key=stalls.__getitem__) == "long_scoreboard"
    assert stalls["short_scoreboard"] + stalls["mio_throttle"] < stalls["long_scoreboard"] / 2


@pytest.mark.parametrize(("tile", "register_cap"), [(8, 32), (16, None)])
def test_registers_that_lanes_share_do_not_wait_behind_shared_loads(
    tile: int, register_cap: int | None
) -> None:
    """The loop reads `SR_CgaCtaId` between shared loads that fill the queues."""
    (point,) = (
        p
        for p in measured("families")
        if p.space == "async_matmul"
        and p.record["register_cap"] == register_cap
        and p.record["parameters"]["tile"] == tile
        and p.record["parameters"]["size"] == 512
    )
    predicted, found = simulate(**point.launch()).stalls, point.measurement.stalls
    assert found["short_scoreboard"] < found["mio_throttle"]
    assert predicted["short_scoreboard"] < predicted["mio_throttle"]  # half as much again if they waited


def test_wide_loads_that_hit_wait_in_the_queues() -> None:
    """They pass the tag stage no faster than the data stage, so not all wait between the two."""
    point = point_of("micro", "load_parallelism", width=4, in_l1=1, unroll=8, block_size=1024)
    predicted, found = simulate(**point.launch()).stalls, point.measurement.stalls
    assert predicted["lg_throttle"] == pytest.approx(
        found["lg_throttle"], rel=0.25
    )  # 0 if they passed at once
    assert predicted["long_scoreboard"] == pytest.approx(found["long_scoreboard"], rel=0.1)


ALONE, ROUNDS = 0, 16
CONSTANT = 3
# %warpid, %smid, LDC, and one of them behind it.
READS = tuple(product((1, 2, CONSTANT), (ALONE, 1, 2, CONSTANT)))


@pytest.mark.parametrize(("first", "second"), READS)
def test_special_registers_and_constants_take_as_long_as_measured(first: int, second: int) -> None:
    """One warp's, against %warpid alone: so what reading the clock takes is taken off.

    Measured is the least of 16 rounds, so without the constant's way from L2 in the first one.
    """
    read, alone = (
        point_of("special_latency", "special_latency", first=a, second=b, block_size=32)
        for a, b in ((first, second), (1, ALONE))
    )

    def clocked(point: Measured) -> float:
        return float(point.record["outputs"][0]["sum"] / 132)

    gpu = load_gpu("h200")
    first_miss = gpu.constant_l2_latency + gpu.indexed_miss_latency if CONSTANT in (first, second) else 0
    predicted = (simulate(**read.launch()).cycles - simulate(**alone.launch()).cycles - first_miss) / ROUNDS
    assert predicted == pytest.approx(clocked(read) - clocked(alone), abs=1.1)
