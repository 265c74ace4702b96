"""A cross-section of all forms of PTX's instructions leaves what an H100 left, on each architecture.

`python -m benchmarks.simulator.instruction_forms compare` runs all of them.
"""

from pathlib import Path

import pytest

from benchmarks.simulator.instruction_forms.comparison import executed, existing
from benchmarks.simulator.instruction_forms.kernels import FORMS
from benchmarks.simulator.instruction_forms.recorded import agrees, read

MEASURED = Path(__file__).parents[3] / "silicon" / "h100-sxm" / "instruction_forms.npz"
GPUS = ("a100-80gb", "h200", "b200", "rtx5090")
EVERY = 36


@pytest.mark.parametrize(("gpu", "first"), [(gpu, 7 * place) for place, gpu in enumerate(GPUS)])
def test_forms_leave_what_they_leave_on_a_gpu(gpu: str, first: int) -> None:
    recorded = read(MEASURED)
    chosen = existing(gpu)[first::EVERY]
    for place, left in executed(gpu, chosen):
        assert not isinstance(left, str), left
        assert agrees(place, left, recorded), FORMS[place].text
