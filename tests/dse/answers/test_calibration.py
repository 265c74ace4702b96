"""Measured times of a few variants, and what follows for the others."""

import json
import sqlite3
from functools import partial
from pathlib import Path

import optuna
import pytest

from dse import Client, Sweep
from dse.errors import InputError
from dse.runners.base import Evaluate
from dse.runners.inline import InlineRunner
from search_spaces import Value
from testing.small_space import SOURCE, SPACE


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory, quick: Evaluate) -> Sweep:
    folder = tmp_path_factory.mktemp("scale")
    (folder / "kernel.cu").write_text(SOURCE)
    (folder / "space.yaml").write_text(SPACE)
    client = Client(folder / "home", partial(InlineRunner, quick), tracking=False)
    values: dict[str, list[Value]] = {
        "unroll": [4, 8, 16],
        "width": [4],
        "block_size": [64, 512],
        "register_cap": [None],
    }
    return client.submit(folder, ["h100-sxm", "a100-80gb"], parameters=values).wait()


def write(path: Path, rows: list[str], head: str = "unroll,block_size,time_us") -> Path:
    path.write_text("\n".join([head, *rows]))
    return path


def test_what_was_measured_counts_and_the_rest_is_rescaled(swept: Sweep, tmp_path: Path) -> None:
    predicted = {
        (trial.parameters["unroll"], trial.parameters["block_size"]): trial.time_us or 0
        for trial in swept.trials("gpu = 'h100-sxm'")
    }
    rows = [f"8,512,{predicted[8, 512] * 1.5}", f"16,64,{predicted[16, 64] * 1.2}"]
    (found,) = swept.calibrate(write(tmp_path / "times.csv", rows), "h100-sxm")
    after = {(e.trial.parameters["unroll"], e.trial.parameters["block_size"]): e for e in found.variants}
    assert found.factor == pytest.approx((1.5 * 1.2) ** 0.5)
    assert not found.is_circular
    assert after[8, 512].time_us == after[8, 512].measured_us == pytest.approx(predicted[8, 512] * 1.5)
    assert after[8, 64].time_us > predicted[8, 64]  # like what was slower than predicted
    assert found.best.trial.parameters == {"unroll": 8, "width": 4, "block_size": 512, "register_cap": None}
    assert all(each.low_us < found.best.time_us and each.measured_us is None for each in found.undecided)
    assert [each.time_us for each in found.variants] == sorted(each.time_us for each in found.variants)
    for each in found.variants:
        assert each.low_us < each.time_us < each.high_us
    doubts = {key: each.high_us / each.low_us for key, each in after.items()}
    assert doubts[8, 512] < doubts[8, 64] < 1.1 ** (2 * 1.645)


def test_a_row_without_a_time_says_nothing(swept: Sweep, tmp_path: Path) -> None:
    path = write(tmp_path / "times.csv", ["8,512,", "16,64,6"])
    (found,) = swept.calibrate(path, "h100-sxm")
    assert [each.trial.parameters["unroll"] for each in found.variants if each.measured_us] == [16]
    with pytest.raises(InputError, match=r"times\.csv:2: time_us is ''; write a positive number"):
        swept.calibrate(write(path, ["8,512,"]), "h100-sxm")


def test_of_many_variants_all_trials_are_read(
    swept: Sweep, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "times.csv", ["8,512,5", "16,64,6"])
    few = swept.calibrate(path, "h100-sxm"), swept.to_measure(3)
    monkeypatch.setattr("dse.measuring.choice.FEW", 1)
    assert (swept.calibrate(path, "h100-sxm"), swept.to_measure(3)) == few


def test_a_cache_of_kernel_tuner_is_read(swept: Sweep, tmp_path: Path) -> None:
    path = tmp_path / "cache.json"
    swept.export(path, "a100-80gb")
    (found,) = swept.calibrate(path)
    assert found.gpu == "a100-80gb"
    assert found.factor == pytest.approx(1.0)
    assert found.is_circular
    assert all(each.measured_us == pytest.approx(each.trial.score) for each in found.variants)
    cache = json.loads(path.read_text())
    (renamed,) = swept.calibrate(path, "h100-sxm")  # a GPU may have another name than its driver's
    assert renamed.gpu == "h100-sxm"
    path.write_text(json.dumps(cache | {"kernel_name": "gemm"}))
    with pytest.raises(InputError, match=r"cache\.json: measures gemm, and the sweep is about scale"):
        swept.calibrate(path)


def test_results_in_t4_say_their_kernel_and_gpu(swept: Sweep, tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    swept.export(path, "a100-80gb", "t4")
    (found,) = swept.calibrate(path)
    assert found.gpu == "a100-80gb"
    assert found.factor == pytest.approx(1.0)
    results = json.loads(path.read_text())
    results["metadata"]["kernel_name"] = "gemm"
    path.write_text(json.dumps(results))
    with pytest.raises(InputError, match=r"results\.json: measures gemm, and the sweep is about scale"):
        swept.calibrate(path)
    path.write_text(json.dumps({"results": results["results"]}))
    with pytest.raises(InputError, match="does not say which GPU it measured"):
        swept.calibrate(path)


@pytest.mark.parametrize("format", ["csv", "parquet", "optuna"])
def test_a_table_and_a_storage_are_read(swept: Sweep, tmp_path: Path, format: str) -> None:
    """A sweep's own: several GPUs, of which one is asked for, and rows that failed."""
    path = tmp_path / f"times.{format}"
    if format == "optuna":
        swept.export(path, format="optuna")
    elif format == "parquet":
        swept.to_dataframe().to_parquet(path)
    else:
        swept.to_dataframe().to_csv(path, index=False)
    with pytest.raises(InputError, match=r"measures a100-80gb, h100-sxm; name one with --gpu"):
        swept.calibrate(path)
    (found,) = swept.calibrate(path, "a100-80gb")
    assert found.gpu == "a100-80gb"
    assert found.factor == pytest.approx(1.0)
    complete = swept.trials("gpu = 'a100-80gb' and state = 'complete'")
    assert len(found.variants) == len(complete)
    assert all(each.measured_us == pytest.approx(each.trial.score) for each in found.variants)


def test_a_study_says_what_it_measured(swept: Sweep, tmp_path: Path) -> None:
    path = tmp_path / "study.db"
    study = optuna.create_study(storage=f"sqlite:///{path}")
    trial = study.ask()
    values = {"unroll": [4, 8, 16], "block_size": [64, 512]}
    chosen = {name: trial.suggest_categorical(name, choices) for name, choices in values.items()}
    (predicted,) = (
        each.time_us
        for each in swept.trials("gpu = 'h100-sxm'")
        if each.parameters["unroll"] == chosen["unroll"]
        and each.parameters["block_size"] == chosen["block_size"]
    )
    assert predicted is not None
    study.tell(trial, predicted * 1.25 / 1000)
    with pytest.raises(InputError, match="set_metric_names has to name one of its values, called time_us or"):
        swept.calibrate(path, "h100-sxm")
    study.set_metric_names(["time_ms"])
    (found,) = swept.calibrate(path, "h100-sxm")
    assert found.factor == pytest.approx(1.25)
    other = tmp_path / "other.db"
    with sqlite3.connect(other) as file:
        file.execute("CREATE TABLE things (name)")
    with pytest.raises(InputError, match=r"other\.db: is not an Optuna storage"):
        swept.calibrate(other, "h100-sxm")
    broken = tmp_path / "broken.db"
    broken.write_bytes(b"SQLite format 3\0" + bytes(100))
    with pytest.raises(InputError, match=r"broken\.db: cannot be read"):
        swept.calibrate(broken, "h100-sxm")
    (tmp_path / "broken.parquet").write_bytes(b"PAR1")
    with pytest.raises(InputError, match=r"broken\.parquet: cannot be read"):
        swept.calibrate(tmp_path / "broken.parquet", "h100-sxm")


@pytest.mark.parametrize(
    ("head", "row", "gpu", "message"),
    [
        (
            "unroll,block_size,time_us",
            "32,64,5",
            "h100-sxm",
            r"times\.csv:2: unroll is 32, and the sweep has 4, 8, 16",
        ),
        (
            "unroll,time_us",
            "4,5",
            "h100-sxm",
            r"times\.csv:2: has no block_size, which the sweep's variants differ in",
        ),
        (
            "unroll,block_size,time_us",
            "4,64,5",
            None,
            "does not say which GPU it measured; name one with --gpu",
        ),
        (
            "unroll,block_size,time_us",
            "4,64,5",
            "h200",
            "h200 was measured, and the sweep has h100-sxm, a100-80gb",
        ),
        ("unroll,block_size,time", "4,64,5", "h100-sxm", "needs one column of times, called time_us or"),
        (
            "unroll,block_size,time_us",
            "4,64,fast",
            "h100-sxm",
            r"times\.csv:2: time_us is 'fast'; write a positive",
        ),
        ("unroll,block_size,time_s", "4,64,5", "h100-sxm", "so their unit is another one"),
    ],
)
def test_what_does_not_belong_to_the_sweep_is_refused(
    swept: Sweep, tmp_path: Path, head: str, row: str, gpu: str | None, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        swept.calibrate(write(tmp_path / "times.csv", [row], head), gpu)
