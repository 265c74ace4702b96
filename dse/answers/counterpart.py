"""What an answer of one sweep is compared with in another: that for the same GPU, or for what it is made from."""

from collections.abc import Mapping
from typing import TypeVar

from dse.store.records import SweepSpec

Answer = TypeVar("Answer")


def counterpart(
    gpu: str, workload: str, spec: SweepSpec, first: SweepSpec, answers: Mapping[tuple[str, str], Answer]
) -> Answer | None:
    """The answer of the first sweep for this GPU, or for what it is made from: `h100-sxm,sms=144` from `h100-sxm`.

    Args:
        gpu: a GPU of a sweep.
        workload: its workload in words.
        spec: the specification of that sweep.
        first: that of the first sweep.
        answers: of the first sweep, by GPU and workload.

    Returns:
        The answer; for a GPU that the first sweep does not have either, that of its first one made from the same GPU.
    """
    base = spec.made_from(gpu)
    of_base = [each for each in first.gpus if first.made_from(each) == base]
    candidates = (gpu, base, *of_base)
    return next((answers[each, workload] for each in candidates if (each, workload) in answers), None)
