"""A kernel that nobody had tuned to, measured on an H100 by the program that `dse measure-list` writes."""

from functools import partial
from pathlib import Path

from dse import Client
from dse.runners.inline import InlineRunner

SPACE = Path(__file__).parents[1] / "data/row_softmax"
TIMES = SPACE / "times.h100-sxm.json"
CODES = 25
"""Of 36 variants; the others are the same machine code as one of these."""


def test_what_an_h100_took_is_what_was_predicted(tmp_path: Path) -> None:
    client = Client(tmp_path, partial(InlineRunner), tracking=False)
    (found,) = client.submit(SPACE).wait().calibrate(TIMES)
    assert len(found.variants) == 36
    assert len({each.trial.code for each in found.variants}) == CODES
    assert all(each.measured_us for each in found.variants)
    assert not found.undecided
    assert abs(found.factor - 1) < 0.03
    errors = [abs(each.trial.score / (each.measured_us or 0) - 1) for each in found.variants]
    assert sum(errors) / len(errors) < 0.035
    assert max(errors) < 0.06
