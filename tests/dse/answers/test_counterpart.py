"""What an answer of one sweep is compared with in another."""

import pytest

from dse.answers.counterpart import counterpart
from dse.store import SweepSpec


def of_gpus(*gpus: str, **profiles: str) -> SweepSpec:
    return SweepSpec("dot", "", "", gpus, {"n": (1, 2)}, workload=("n",), profiles=profiles)


BIG = "h100-sxm,sms=144"
FIRST = {
    (gpu, workload): f"{gpu} {workload}"
    for gpu in ("b200", BIG, "h100-sxm", "slow")
    for workload in ("n=1", "n=2")
}


@pytest.mark.parametrize(
    ("gpu", "there", "against"),
    [
        ("b200", ("b200", "h100-sxm"), "b200 n=2"),
        (BIG, ("b200", "h100-sxm"), "h100-sxm n=2"),
        (BIG, (BIG, "h100-sxm"), f"{BIG} n=2"),
        ("h100-sxm", (BIG,), f"{BIG} n=2"),
        ("mine", ("h100-sxm",), "h100-sxm n=2"),
        ("mine", ("slow",), "slow n=2"),
        (BIG, ("b200",), None),
    ],
)
def test_a_gpu_is_compared_with_itself_or_with_what_it_is_made_from(
    gpu: str, there: tuple[str, ...], against: str | None
) -> None:
    second = of_gpus(gpu, mine="h100-sxm,sms=100")
    first = of_gpus(*there, slow="h100-sxm,clock_mhz=1500")
    answers = {case: answer for case, answer in FIRST.items() if case[0] in there}
    assert counterpart(gpu, "n=2", second, first, answers) == against
    assert counterpart(gpu, "n=3", second, first, answers) is None
