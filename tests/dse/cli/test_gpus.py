"""`dse gpus`, `dse occupancy` and `dse sensitivity` on the command line."""

import json
import re
import shlex
from functools import partial
from itertools import pairwise
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from dse.cli import app
from dse.cli.options import gpus
from dse.client import Client
from dse.errors import InputError
from dse.evaluation.evaluate import evaluate
from dse.runners.inline import InlineRunner
from search_spaces import Value
from simcore import SimcoreError, gpu_names, load_gpu, occupancy
from simcore.gpu_profiles import read_gpu
from simcore.model.occupancy_curves import occupancy_curves

PROFILE = """
name: mine
base: h100-sxm
label: {value: derived, unit: text, source: "the H100 with fewer SMs"}
sms: {value: 120, unit: SMs, source: "our machine room"}
"""


def run(line: str) -> Result:
    return CliRunner().invoke(app, shlex.split(line))


def rows(line: str) -> list[dict[str, object]]:
    result = run(f"{line} -o json")
    assert result.exception is None
    return json.loads(result.output)  # type: ignore[no-any-return]


def test_all_gpus_are_listed_with_rates_and_labels(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DSE_HOME", str(tmp_path))
    listed = {row["name"]: row for row in rows("gpus")}
    assert set(listed) == set(gpu_names())
    assert listed["h200"]["label"] == "calibrated"
    assert listed["a100-80gb"]["fp32_tflops"] == pytest.approx(19.5, rel=0.01)
    assert "FP16 HMMA" in run("gpus").output


def test_a_gpu_is_shown_with_the_source_of_each_number() -> None:
    fields = {row["field"]: row for row in rows("gpus h100-sxm,sms=144")}
    assert (fields["sms"]["value"], fields["sms"]["source"]) == (144, "override")
    assert fields["l2_bytes"]["source"] == "NVIDIA H100 white paper: 50 MB"
    assert fields["label"]["value"] == "what if"


def test_two_gpus_are_compared_number_by_number() -> None:
    differing = {row["field"]: row for row in rows("gpus --diff h100-sxm h200")}
    assert differing["l2_bytes"]["ratio"] == pytest.approx(1.2)
    assert "sms" not in differing


def test_a_profile_of_ones_own_is_checked_and_used(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(PROFILE)
    assert "a valid profile (sm_90, derived); it states 2 numbers itself" in run(f"gpus check {path}").output
    assert [row["field"] for row in rows(f"gpus --diff h100-sxm {path}")] == ["label", "sms"]
    assert gpus([f"{path},clock_mhz=1500", "b200"]) == [
        "mine,clock_mhz=1500:h100-sxm,sms=120,clock_mhz=1500",
        "b200",
    ]
    assert read_gpu(f"{path},clock_mhz=1500").source("sms") == "our machine room"
    path.write_text(PROFILE.replace(', source: "our machine room"', ""))
    error = run(f"gpus check {path}").exception
    assert isinstance(error, SimcoreError)
    assert "sms: has no source; say where 120 comes from" in str(error)


def test_the_calculator_shows_the_cliff_of_65_registers() -> None:
    at_64, at_65 = (run(f"occupancy --gpu h100-sxm --registers {n} --block 256").output for n in (64, 65))
    assert "4 blocks per SM: 32 of 64 warps, 50%; limited by registers" in at_64
    assert "3 blocks per SM: 24 of 64 warps, 38%; limited by registers" in at_65
    assert "65 regs x 32 threads, in units of 256, -> 2304 per warp, 28 warps per SM" in at_65
    assert [row["gpu"] for row in rows("occupancy --registers 65")] == list(gpu_names())


def test_the_calculator_reads_a_kernel(tmp_path: Path) -> None:
    path = tmp_path / "k.cu"
    path.write_text(
        'extern "C" __global__ void k(int* x) { __shared__ int t[N]; t[threadIdx.x] = *x; *x = t[3]; }'
    )
    (row,) = rows(f"occupancy {path} --gpu h200 -D N=8192 --shared 100")
    assert (row["shared"], row["blocks_per_sm"]) == (4 * 8192 + 100, 6)


def test_a_folder_is_no_kernel(tmp_path: Path) -> None:
    refused = run(f"occupancy {tmp_path} --gpu h200").exception
    assert "is a folder; name its kernel" in str(refused)


def test_curves_are_those_of_single_launches() -> None:
    gpu = load_gpu("rtx3090")
    for what, steps in occupancy_curves(gpu, 96, 100, 5000).items():
        assert all(one.last < other.first for one, other in pairwise(steps))
        for step in steps[:: len(steps) // 3 + 1]:
            launch = {"block": 96, "registers": 100, "shared": 5000, what: step.first}
            alone = occupancy(gpu, launch["block"], launch["registers"], launch["shared"])
            assert (alone.blocks_per_sm, alone.limiters) == (
                step.occupancy.blocks_per_sm,
                step.occupancy.limiters,
            )


def test_a_trials_time_follows_the_clock_and_not_the_l2(tmp_path: Path, space_file: Path) -> None:
    client = Client(tmp_path, runner=partial(InlineRunner, evaluate), tracking=False)
    one: dict[str, list[Value]] = {"unroll": [4], "width": [1], "block_size": [64], "register_cap": [None]}
    sweep = client.submit(str(space_file), gpu="h100-sxm", parameters=one).wait()
    told: list[tuple[int, int]] = []
    fields = ("l2_bytes", "clock_mhz")
    found = sweep.sensitivity(fields=fields, workers=1, tell=lambda *counts: told.append(counts))
    assert [total for _, total in told] == [4] * len(told)
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert told[-1] == (4, 4)
    with pytest.raises(InputError, match="no trial 99"):
        sweep.sensitivity(99)
    clock, l2 = found.effects
    assert (clock.field, clock.low, l2.field) == ("clock_mhz", 1782, "l2_bytes")
    change = found.change(clock.low_us)
    assert change is not None
    assert change > 0.03
    assert abs(found.change(l2.high_us) or 0) < 0.01
    assert {row["label"] for row in found.rows()} == {"what if"}
    assert not any(effect.low_step or effect.high_step for effect in found.effects)


def test_a_jump_between_two_values_is_called_a_step(
    tmp_path: Path, space_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DSE_HOME", str(tmp_path))
    client = Client(runner=partial(InlineRunner, evaluate), tracking=False)
    one: dict[str, list[Value]] = {"unroll": [16], "width": [1], "block_size": [64], "register_cap": [None]}
    sweep = client.submit(str(space_file), gpu="h100-sxm,sms=64", parameters=one).wait()
    found = sweep.sensitivity(0, fields=["sms"], workers=1)
    (sms,) = found.effects
    assert repr(found).startswith("Sensitivity(trial 0 on ")
    assert re.search(r"\nsms  64 SMs  [+-]\d+\.\d%  [+-]\d+\.\d%$", str(found))
    assert "<td>64 SMs</td>" in found._repr_html_()
    assert (sms.low_step, sms.high_step) == ("1 → 2 blocks on the busiest SM", "")
    shown = run(f"sensitivity {sweep.id} --field sms").output
    assert "○ 1 → 2 blocks on the busiest SM" in shown
    assert "has no slope" in shown


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("gpus --diff h200", "give at least two GPUs"),
        ("gpus check", "give the file of a profile"),
        ("gpus check /nowhere.yaml", "there is no such file"),
        ("gpus h10", "no GPU named 'h10'; did you mean"),
        ("occupancy --gpu sms=3", "sms=3: no GPU before it"),
    ],
)
def test_bad_input_is_one_message(line: str, message: str) -> None:
    error = run(line).exception
    assert isinstance(error, InputError | SimcoreError)
    assert message in str(error)
