"""The folder that measures variants on a real GPU: everything that its program needs is there."""

import json
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from dse import Client, Sweep
from dse.errors import InputError
from dse.runners.base import Evaluate
from dse.runners.inline import InlineRunner
from simcore import read_kernel


@pytest.fixture
def swept(space_file: Path, tmp_path: Path, quick: Evaluate) -> Sweep:
    client = Client(tmp_path / "home", partial(InlineRunner, quick), tracking=False)
    values = {"unroll": [4, 8], "width": [4]}
    return client.submit(space_file, ["h100-sxm"], parameters=values).wait()


def test_a_folder_has_code_arguments_a_plan_and_a_program(swept: Sweep, tmp_path: Path) -> None:
    chosen = swept.to_measure(2)
    (program,) = swept.write_bundles(chosen, tmp_path / "measure")
    folder = program.parent
    assert (folder.name, program.name) == ("h100-sxm", "measure.py")
    compile(program.read_text(), program, "exec")
    plan = json.loads((folder / "plan.json").read_text())
    assert [each["parameters"] for each in plan["variants"]] == [dict(each.parameters) for each in chosen]
    for variant, each in zip(plan["variants"], chosen, strict=True):
        assert variant["predicted_us"] == each.score
        kernel = read_kernel((folder / variant["cubin"]).read_bytes(), variant["function"])
        assert (kernel.name, kernel.architecture) == ("scale", "sm_90")
        assert variant["block"] == [each.parameters["block_size"], 1, 1]
        buffer, factor, n = variant["arguments"]
        assert (buffer["elements"], buffer["fill"]) == (4096, "uniform")
        assert np.frombuffer(bytes.fromhex(factor["value"]), np.float32)[0] == 0.5
        assert np.frombuffer(bytes.fromhex(n["value"]), np.int32)[0] == 4096
    assert read_kernel((folder / "pacer.cubin").read_bytes(), "pacer").architecture == "sm_90"
    with pytest.raises(InputError, match="is not empty; name a new folder"):
        swept.write_bundles(chosen, tmp_path / "measure")


def test_a_filter_leaves_out_what_cannot_be_used(swept: Sweep) -> None:
    assert {each.parameters["unroll"] for each in swept.to_measure(4)} == {8}
    assert {each.parameters["unroll"] for each in swept.to_measure(4, filter="params.unroll < 8")} == {4}
    with pytest.raises(InputError, match="no complete trial with params"):
        swept.to_measure(filter="params.unroll > 8")


def test_what_cannot_be_measured_is_refused(swept: Sweep, space_file: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no complete trial on h200 to measure"):
        swept.to_measure(gpu="h200")
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="cannot be created"):
        swept.write_bundles(swept.to_measure(1), tmp_path / "file")
