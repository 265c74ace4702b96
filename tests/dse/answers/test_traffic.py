"""What `dse explain` says of a trial's memory traffic."""

from dse.answers.traffic import is_from_l2, limit_in_words, traffic
from dse.evaluation.tasks import Outcome
from dse.store import Trial
from simcore import load_gpu

METRICS = {"time_us": 100.0, "warp_instructions": 1_000_000, "dram_bytes": 2.19e8, "l2_bytes": 4.38e8}
MEMORY = {
    "l1_hit_rate": 0.75,
    "sectors_per_load": 16.0,
    "wavefronts_per_shared_access": 2.5,
    "bank_conflicts": 0.6,
}


def trial(**metrics: object) -> Trial:
    outcome = Outcome("h200-0", "complete", metrics={**METRICS, **metrics}, compile_s=0.5, simulate_s=0.25)
    return Trial(0, "h200", 0, {"unroll": 4}, outcome)


def lines(**metrics: object) -> list[str]:
    return traffic(trial(**metrics), load_gpu("h200"))


def test_traffic_is_relative_to_what_the_gpu_achieves() -> None:
    dram, l2, roofline = lines(time_us=10.0, warp_instructions=1000, dram_bytes=4e6, l2_bytes=1e7)
    assert dram.startswith("DRAM 400 GB/s over the launch, 9% of the 4,560 GB/s")
    assert l2 == "L2 1,000 GB/s, 60% of which does not reach DRAM"
    assert "0.00025 warp instructions for each byte of DRAM, left of the ridge" in roofline


def test_bytes_of_dram_are_beside_those_of_the_buffers() -> None:
    *_, moved, _ = traffic(trial(dram_bytes=3e8), load_gpu("h200"), 200_000_000)
    assert moved == (
        "DRAM moves 300 MB, 1.5 times the 200 MB of the buffers; reading and writing all of them once is 2 times"
    )
    assert len(traffic(trial(dram_bytes=0.0), load_gpu("h200"), 200_000_000)) == 2


def test_hits_sectors_and_conflicts_come_before_the_bandwidths() -> None:
    l1, shared, dram, l2, roofline = lines(memory=MEMORY, utilisation={"dram": 0.625})
    assert l1 == "L1 holds 75% of the sectors that loads read, 16 a load"
    assert shared == "shared memory takes 2.5 wavefronts an access, 60% of them for bank conflicts"
    assert dram.startswith("DRAM 2,190 GB/s over the launch, 48% of the 4,560 GB/s")
    assert dram.endswith("; busy 62% of the time")
    assert l2 == "L2 4,380 GB/s, 50% of which does not reach DRAM"
    assert roofline.startswith("roofline: 0.00457 warp instructions for each byte of DRAM, left of the ridge")


def test_the_roofline_names_the_unit_that_is_the_limit_below_it() -> None:
    for units, end in (
        ({"l2": 0.95, "dram": 0.4}, "; bandwidth (L2) is reached before"),
        ({"dram": 0.95}, ")"),
    ):
        *_, roofline = lines(regime="bandwidth", bottleneck="long_scoreboard", utilisation=units)
        assert "left of the ridge, where DRAM is the ceiling (ridge at 0.2" in roofline
        assert roofline.endswith(end)
        assert ("reached" in roofline) == ("l2" in units)


def test_a_trial_of_an_earlier_version_shows_what_it_has() -> None:
    assert len(lines()) == 3
    assert lines(l2_bytes=None) == []


def test_data_that_a_warm_l2_holds_are_told_apart() -> None:
    waiting = {"regime": "bandwidth", "bottleneck": "lg_throttle", "dram_bytes": 0.0, "l2_bytes": 1e9}
    assert limit_in_words(trial(**waiting)) == "bandwidth (lg_throttle), from L2"
    for other in ({"dram_bytes": 1e8}, {"regime": "compute"}, {"bottleneck": "barrier"}, {"l2_bytes": 0.0}):
        assert not is_from_l2(waiting | other)
    assert limit_in_words(trial()) == "-"
