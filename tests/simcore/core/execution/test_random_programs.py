"""Random programs compute the same on all architectures and, where their threads exchange nothing, on the host.

A few seeds; `python -m benchmarks.simulator.random_programs` runs as many as one likes.
"""

import pytest

from benchmarks.simulator.random_programs.__main__ import GPUS
from benchmarks.simulator.random_programs.comparison import differences
from benchmarks.simulator.random_programs.generator import program


@pytest.mark.parametrize("seed", [2, 3, 24, 25])
def test_a_random_program_is_the_same_everywhere(seed: int) -> None:
    assert differences(program(seed), GPUS.split(",")) == []


def test_a_seed_is_a_program() -> None:
    assert program(7) == program(7)
    assert program(7).body != program(9).body
    assert [program(seed).exchanges for seed in (6, 7)] == [False, True]
