"""A sweep as a cache of Kernel Tuner, read back by what reads measured ones, and replayed by Kernel Tuner."""

import json
import warnings
from functools import partial
from pathlib import Path

import kernel_tuner
import pytest

from dse import Client
from dse.errors import InputError
from dse.runners.base import Evaluate
from dse.runners.inline import InlineRunner
from simcore.validation import read_measurements


def test_a_sweep_comes_back_from_a_cache_as_it_was(space_file: Path, tmp_path: Path, quick: Evaluate) -> None:
    client = Client(tmp_path / "home", partial(InlineRunner, quick), tracking=False)
    sweep = client.submit(space_file, ["a100-80gb", "h100-sxm"], parameters={"unroll": [4, 8]}).wait()
    path = tmp_path / "cache.json"
    trials = sweep.trials("gpu = 'h100-sxm'")
    assert sweep.export(path, "h100-sxm") == len(trials)
    document = json.loads(path.read_text())
    assert document["tune_params"]["register_cap"] == [None, 32]
    assert document["tune_params_keys"] == list(sweep.spec.parameters)
    assert {key.count(",") for key in document["cache"]} == {3}
    content = read_measurements(path)
    complete = [trial for trial in trials if trial.state == "complete"]
    assert (content.device, content.failed) == ("h100-sxm", len(trials) - len(complete))
    assert [each.parameters for each in content.measurements] == [
        dict(trial.parameters) for trial in complete
    ]
    assert [each.time_us for each in content.measurements] == pytest.approx(
        [trial.time_us for trial in complete]
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        replayed, _ = kernel_tuner.tune_cache(path, strategy="brute_force", quiet=True)
    assert sorted(each["time"] for each in replayed) == pytest.approx(
        sorted((trial.time_us or 0) / 1000 for trial in complete)
    )
    with pytest.raises(InputError, match="name one of a100-80gb, h100-sxm"):
        sweep.export(path)
    with pytest.raises(InputError, match="cannot be written: No such file"):
        sweep.export(tmp_path / "missing" / "cache.json", "h100-sxm")
