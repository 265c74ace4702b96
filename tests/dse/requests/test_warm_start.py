"""Which earlier sweeps a sweep may learn from."""

from functools import partial
from pathlib import Path

import pytest

from dse import Client
from dse.errors import InputError
from dse.runners.base import Evaluate
from dse.runners.inline import InlineRunner


def test_metrics_may_differ_unless_one_is_an_objective(
    tmp_path: Path, quick: Evaluate, space_file: Path
) -> None:
    client = Client(tmp_path / "home", partial(InlineRunner, quick), tracking=False)
    earlier = client.submit(space_file, "h100-sxm", metrics={"rate": "unroll / time_us"}).wait()
    (best,) = earlier.best().values()
    warm = client.submit(space_file, "h100-sxm", trials=3, warm_start=earlier.id).wait()
    assert warm.trials("number = 0")[0].parameters == best.parameters
    rated = client.submit(
        space_file, "h100-sxm", metrics={"rate": "unroll / time_us"}, objectives="maximize rate"
    ).wait()
    with pytest.raises(InputError, match=f"sweep {rated.id} is of another space: its metrics"):
        client.submit(
            space_file,
            "h100-sxm",
            trials=3,
            metrics={"rate": "2 * unroll / time_us"},
            objectives="maximize rate",
            warm_start=rated.id,
        )
