"""A sweep in the formats of other tools, read back as it was."""

import json
from functools import partial
from pathlib import Path

import optuna
import pytest
from kernel_tuner import tune_kernel_T1

from dse import Client, Sweep
from dse.errors import InputError
from dse.runners.base import Evaluate
from dse.runners.inline import InlineRunner
from search_spaces import Value
from simcore.validation import read_measurements
from testing.small_space import SOURCE, SPACE

GPUS = ("a100-80gb", "h100-sxm")


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory, quick: Evaluate) -> Sweep:
    folder = tmp_path_factory.mktemp("scale")
    (folder / "kernel.cu").write_text(SOURCE)
    (folder / "space.yaml").write_text(SPACE + "workload: unroll\n")
    client = Client(folder / "home", partial(InlineRunner, quick), tracking=False)
    metrics = {"rate": "unroll / time_us"}
    values: dict[str, list[Value]] = {"unroll": [4, 8], "block_size": [64, 256]}
    return client.submit(folder, GPUS, parameters=values, metrics=metrics).wait()


def test_t4_results_come_back(swept: Sweep, tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    trials = swept.trials("gpu = 'h100-sxm'")
    assert swept.export(path, "h100-sxm", "t4") == len(trials)
    document = json.loads(path.read_text())
    assert document["schema_version"] == "1.0.0"
    assert {each["invalidity"] for each in document["results"]} == {"correct", "timeout"}
    content = read_measurements(path)
    complete = [trial for trial in trials if trial.state == "complete"]
    assert [each.parameters for each in content.measurements] == [dict(each.parameters) for each in complete]
    times = [each.time_us for each in content.measurements]
    assert times == pytest.approx([trial.time_us for trial in complete])
    rates = [each["measurements"][1]["value"] for each in document["results"] if each["measurements"]]
    assert rates == [trial.metrics["rate"] for trial in complete]


def test_kernel_tuner_solves_the_exported_problem(swept: Sweep, tmp_path: Path) -> None:
    """From the cache, since there is no GPU: the variants and times of its simulation mode are the sweep's."""
    problem, cache = tmp_path / "problem.json", tmp_path / "cache.json"
    trials = swept.trials("gpu = 'h100-sxm'")
    assert swept.export(problem, "h100-sxm", "t1") == len(trials)
    swept.export(cache, "h100-sxm")
    results, _ = tune_kernel_T1(problem, cache, simulation_mode=True, output_T4=False)
    found = {(each["unroll"], each["block_size"]): each["time"] for each in results}
    assert {place: time for place, time in found.items() if isinstance(time, float)} == {
        (each.parameters["unroll"], each.parameters["block_size"]): pytest.approx(each.time_us / 1000)
        for each in trials
        if each.time_us is not None
    }


def test_an_optuna_storage_has_a_study_for_each_gpu_and_workload(swept: Sweep, tmp_path: Path) -> None:
    path = tmp_path / "studies.db"
    assert swept.export(path, format="optuna") == len(swept.trials())
    storage = f"sqlite:///{path}"
    names = optuna.get_all_study_names(storage)
    assert names == [f"scale {swept.id}: {gpu} unroll={unroll}" for gpu in GPUS for unroll in (4, 8)]
    for name, best in zip(names, swept.winners(), strict=True):
        study = optuna.load_study(study_name=name, storage=storage)
        chosen = {key: value for key, value in best.parameters.items() if key != "unroll"}
        assert (study.best_value, study.best_params) == (best.time_us, chosen)
        assert study.best_trial.user_attrs["dse.number"] == best.trial.number
        assert study.metric_names == ["time_us"]
    states = {trial.state.name for trial in study.trials}
    assert states == {"COMPLETE", "FAIL"}
    with pytest.raises(InputError, match="exists; name a new file"):
        swept.export(path, format="optuna")
    with pytest.raises(InputError, match="there is no folder"):
        swept.export(tmp_path / "missing" / "studies.db", format="optuna")
    with pytest.raises(InputError, match="the sweep has no h200"):
        swept.export(tmp_path / "other.db", "h200", "optuna")
