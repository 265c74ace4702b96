"""A cross-section of the corpus of kernels: every theme, on one architecture each; asynchronous barriers on all.

`python -m benchmarks.simulator.corpus` runs all of it.
"""

import pytest

from benchmarks.simulator.corpus.case import GPUS, cases, problem, themes

THEMES = [(theme, GPUS[place % len(GPUS)]) for place, theme in enumerate(themes()) if theme != "barriers"]


@pytest.mark.parametrize(("theme", "gpu"), THEMES)
def test_kernels_of_a_theme_are_right_or_refused_by_name(theme: str, gpu: str) -> None:
    wrong = {case.kernel: problem(theme, case, gpu, timed=False) for case in cases(theme) if gpu in case.only}
    assert not any(wrong.values()), wrong


@pytest.mark.parametrize("gpu", ["a100-80gb", "h200", "rtx5090"])
def test_asynchronous_barriers_and_pipelines_are_right_and_end_in_time(gpu: str) -> None:
    wrong = {case.kernel: problem("barriers", case, gpu) for case in cases("barriers")}
    assert not any(wrong.values()), wrong


@pytest.mark.parametrize("gpu", GPUS)
def test_tiles_of_several_warps_meet_in_the_systems_shared_memory(gpu: str) -> None:
    (case,) = (case for case in cases("library") if case.kernel == "groups_of_labels")
    assert problem("library", case, gpu) is None
