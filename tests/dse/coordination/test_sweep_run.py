"""The life of a sweep, through the client: run, rerun, extend, stop, resume, fail."""

import os
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Event
from time import monotonic, sleep

import pandas as pd
import pytest
from sqlalchemy.exc import OperationalError

from dse import Client, Sweep
from dse.errors import InputError, PointsFailAlike
from dse.evaluation.forecast import Forecast
from dse.evaluation.tasks import Outcome, Task
from dse.runners.base import Evaluate, Runner
from dse.runners.inline import InlineRunner
from dse.runners.ray import RayRunner
from dse.store import Store
from search_spaces import SpaceError
from simcore import CompileError, LaunchError, UnknownGpu
from testing.small_space import slowed

GPUS = ["a100-80gb", "h100-sxm"]
VALID_POINTS = 96
Submit = Callable[..., Sweep]


def make_client(home: Path, evaluate: Evaluate, tracking: bool = False) -> Client:
    return Client(home, partial(InlineRunner, evaluate), tracking)


@pytest.fixture
def client(home: Path, quick: Evaluate) -> Client:
    return make_client(home, quick)


def no_runner() -> Runner:
    raise AssertionError("nothing was to be evaluated")


def rows(sweep: Sweep) -> list[tuple[object, ...]]:
    """What must be the same however the sweep came about."""
    return sorted(
        (trial.number, trial.gpu, trial.point_index, trial.state, trial.reason or "", trial.time_us or 0)
        for trial in sweep.trials()
    )


def test_every_valid_point_is_evaluated_on_every_gpu(client: Client, space_file: Path) -> None:
    sweep = client.submit(space_file, GPUS).wait()
    status = sweep.status()
    assert status.state == "finished"
    assert status.total == status.counts.done == status.counts.new == 2 * VALID_POINTS
    assert status.counts.failures == {"CycleLimitExceeded": 64}
    best = sweep.best()
    assert list(best) == GPUS
    assert best["h100-sxm"].parameters == {
        "unroll": 8, "width": 4, "block_size": 512, "register_cap": None
    }  # fmt: skip
    assert best["h100-sxm"].time_us == pytest.approx((10 - 4 + 64 / 512) / 2)
    assert next(iter(best["h100-sxm"].stalls)) == "long_scoreboard"
    assert best["h100-sxm"].advice == ("Start more loads.",)
    first = 10 + 7 - 1 + 1
    assert sweep.speedup(best["h100-sxm"]) == pytest.approx(first / (10 - 4 + 64 / 512))


def test_a_run_foresees_what_it_takes_from_a_point_after_the_first_ones(
    home: Path, space_file: Path, quick: Evaluate
) -> None:
    def slower_at_first(task: Task) -> Outcome:
        seconds.append(100.0 if len(seconds) < 3 else 0.25)  # one of each GPU, and the only worker's first
        return replace(quick(task), compile_s=0.0, simulate_s=seconds[-1])

    seconds: list[float] = []
    sweep = make_client(home, slower_at_first).submit(space_file)
    *_, progress = sweep.follow()
    assert progress.workers == 1
    assert progress.forecast == Forecast(0.25, 0.0, progress.total, 1)


def test_the_data_frame_has_a_row_a_trial_and_typed_columns(client: Client, space_file: Path) -> None:
    frame = client.submit(space_file, GPUS, trials=20).wait().to_dataframe(order_by="metrics.time_us")
    assert isinstance(frame, pd.DataFrame)
    assert len(frame) == 20
    assert {"gpu", "unroll", "block_size", "time_us", "stall_wait", "regime"} <= set(frame.columns)
    assert frame["time_us"].dropna().is_monotonic_increasing


def test_filters_and_orders_select_trials(client: Client, space_file: Path) -> None:
    sweep = client.submit(space_file, GPUS).wait()
    trials = sweep.trials(
        "gpu = 'h100-sxm' and params.unroll >= 8 and state = 'complete'", "metrics.time_us", 3
    )
    assert len(trials) == 3
    assert [trial.time_us for trial in trials] == sorted(trial.time_us or 0 for trial in trials)


def test_a_finished_sweep_runs_again_without_a_runner(client: Client, space_file: Path, home: Path) -> None:
    first = client.submit(space_file, GPUS).wait()
    again = Client(home, no_runner, tracking=False).submit(space_file, GPUS).wait()
    assert again.status().counts.known == 2 * VALID_POINTS
    assert again.id != first.id
    assert rows(again) == rows(first)


def test_more_trials_evaluate_only_what_is_new(home: Path, space_file: Path, quick: Evaluate) -> None:
    evaluated: list[str] = []

    def counted(task: Task) -> Outcome:
        evaluated.append(task.point_hash)
        return quick(task)

    client = make_client(home, counted)
    client.submit(space_file, GPUS, trials=30).wait()
    sweep = client.submit(space_file, GPUS, trials=50).wait()
    assert (sweep.status().counts.known, sweep.status().counts.new) == (30, 20)
    sweep.resume(trials=70).wait()
    assert sweep.status().total == sweep.status().counts.done == 70
    sweep.resume(trials=1000).wait()
    assert sweep.status().total == sweep.status().counts.done == 2 * VALID_POINTS
    assert len(evaluated) == len(set(evaluated)) == 2 * VALID_POINTS


@pytest.mark.parametrize("trials", [None, 60], ids=["exhaustive", "sampled"])
def test_a_sweep_stopped_again_and_again_ends_with_the_rows_of_an_undisturbed_one(
    tmp_path: Path, space_file: Path, quick: Evaluate, trials: int | None
) -> None:
    undisturbed = make_client(tmp_path / "undisturbed", quick).submit(space_file, GPUS, trials=trials).wait()
    evaluated: list[str] = []

    def stop_often(task: Task) -> Outcome:
        evaluated.append(task.point_hash)
        if len(evaluated) % 20 == 0:
            submitted.wait(10)
            sweeps[-1].stop()
        return quick(task)

    submitted, sweeps = Event(), []
    client = make_client(tmp_path / "stopped", stop_often)
    sweeps.append(client.submit(space_file, GPUS, trials=trials))
    submitted.set()
    (space_file.parent / "kernel.cu").write_text("resuming reads the store, not the files")
    stops = 0
    while sweeps[-1].wait().status().state == "stopped":
        stops += 1
        submitted.clear()
        sweeps.append(client.sweep(sweeps[0].id).resume())
        submitted.set()
    assert stops >= 2
    assert rows(sweeps[-1]) == rows(undisturbed)
    assert len(evaluated) == len(set(evaluated))


def test_a_time_limit_stops_a_sweep(home: Path, space_file: Path, quick: Evaluate) -> None:
    sweep = make_client(home, quick).submit(space_file, GPUS, timeout=1e-6).wait()
    assert sweep.status().state == "stopped"
    assert sweep.resume().wait().status().state == "finished"
    assert sweep.status().counts.done == 2 * VALID_POINTS


def test_lost_workers_are_tried_again_next_time(home: Path, space_file: Path, quick: Evaluate) -> None:
    def lose(task: Task) -> Outcome:
        return Outcome.failure(task.point_hash, "WorkerLost", "its worker died")

    sweep = make_client(home, lose).submit(space_file, GPUS[:1], parameters={"unroll": [2]})
    with pytest.raises(PointsFailAlike, match="WorkerLost: its worker died"):
        sweep.wait()
    assert sweep.status().counts.failures == {"WorkerLost": 8}
    make_client(home, quick).sweep(sweep.id).resume().wait()
    assert sweep.status().counts.failures == {"CycleLimitExceeded": 8}


def test_a_sampled_sweep_with_lost_workers_keeps_its_points(
    home: Path, space_file: Path, quick: Evaluate
) -> None:
    def lose_some(task: Task) -> Outcome:
        if int(task.point_hash, 16) % 3 == 0:
            return Outcome.failure(task.point_hash, "WorkerLost", "its worker died")
        return quick(task)

    sweep = make_client(home, lose_some).submit(space_file, GPUS, trials=60).wait()
    places = [(trial.number, trial.gpu, trial.point_index) for trial in sweep.trials()]
    assert sweep.status().counts.failures["WorkerLost"] > 5
    make_client(home, quick).sweep(sweep.id).resume().wait()
    assert [(trial.number, trial.gpu, trial.point_index) for trial in sweep.trials()] == places
    assert sweep.status().counts.failures.keys() == {"CycleLimitExceeded"}


class HoldingRunner(InlineRunner):
    """Takes many points at once, as workers do."""

    @property
    def capacity(self) -> int:
        return 16


def test_a_sweep_stopped_with_points_out_is_resumed_in_the_same_process(
    home: Path, space_file: Path, quick: Evaluate
) -> None:
    slow = slowed(quick, 0.3)

    sweep = Client(home, partial(HoldingRunner, slow), tracking=False).submit(space_file, GPUS, trials=18)
    sleep(0.5)
    sweep.stop()
    assert sweep.status().state == "stopping"
    assert sweep.is_running
    stopped = sweep.wait().status()
    assert stopped.state == "stopped"
    sleep(0.5)
    assert sweep.status().counts == stopped.counts
    assert sweep.resume().wait(30).status().state == "finished"
    assert sweep.status().counts.done == 18


def test_waiting_ends_with_its_time(home: Path, space_file: Path, client: Client) -> None:
    queued = client.queue().submit(space_file, GPUS)
    began = monotonic()
    assert client.sweep(queued.id).wait(timeout=0.2).status().state == "queued"
    assert monotonic() - began < 5


def test_a_sweep_that_a_server_runs_is_not_run_here_too(space_file: Path, client: Client) -> None:
    queued = client.queue().submit(space_file, GPUS, id="mine")
    for ask in (partial(client.submit, space_file, GPUS, id="mine"), client.sweep("mine").resume):
        with pytest.raises(InputError, match="sweep mine is run by a server"):
            ask()
    queued.stop()
    assert client.submit(space_file, GPUS, id="mine").status().state == "stopped"
    assert client.sweep("mine").resume().wait().status().state == "finished"


def test_a_database_that_takes_no_more_ends_the_sweep(
    space_file: Path, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*arguments: object) -> None:
        raise OperationalError("INSERT", {}, sqlite3.OperationalError("database or disk is full"))

    for method in ("record", "change_state"):
        monkeypatch.setattr(Store, method, full)
    with pytest.raises(OperationalError, match="disk is full"):
        client.submit(space_file, GPUS).wait()


def test_a_sweep_that_breaks_is_failed_and_says_why(home: Path, space_file: Path) -> None:
    def broken() -> Runner:
        raise OSError("no workers today")

    sweep = Client(home, broken, tracking=False).submit(space_file, GPUS)
    with pytest.raises(OSError, match="no workers today"):
        sweep.wait()
    assert sweep.status().state == "failed"


def test_mlflow_has_the_sweep_and_its_trials(home: Path, space_file: Path, quick: Evaluate) -> None:
    from mlflow import MlflowClient

    client = make_client(home, quick, tracking=True)
    sweep = client.submit(space_file, GPUS[:1], trials=10).wait()
    assert sweep.mlflow_problem is None
    mlflow = MlflowClient(f"sqlite:///{home}/mlflow.db")
    experiment = mlflow.get_experiment_by_name("scale")
    assert experiment is not None
    assert len(mlflow.search_runs([experiment.experiment_id])) == 11


def test_ray_gives_the_rows_of_the_inline_runner(tmp_path: Path, space_file: Path, quick: Evaluate) -> None:
    inline = make_client(tmp_path / "inline", quick).submit(space_file, GPUS, trials=60).wait()
    ray = Client(tmp_path / "ray", partial(RayRunner, quick, 2, prepare=lambda: None), tracking=False)
    on_ray = ray.submit(space_file, GPUS, trials=60).wait()
    assert on_ray.status().state == "finished"
    assert rows(on_ray) == rows(inline)


def edit(space_file: Path, old: str, new: str) -> Path:
    text = space_file.read_text()
    assert old in text
    space_file.write_text(text.replace(old, new))
    return space_file


def test_a_launch_that_no_gpu_takes_is_refused(client: Client, space_file: Path) -> None:
    edit(space_file, "[64, 128, 256, 512]", "[128, 1025]")
    with pytest.raises(InputError, match=r"block_size = 1025.*1,?024"):
        client.submit(space_file)
    assert client.sweeps() == []


def test_a_launch_that_one_gpu_takes_fails_on_the_others_alone(client: Client, space_file: Path) -> None:
    """200 KiB of shared memory a block: the H100 has 227, the A100 163 (CUDA C++ Programming Guide)."""
    edit(space_file, "block: block_size}", "block: block_size, dynamic_shared_bytes: 200 * 1024}")
    sweep = Client(client.where, tracking=False, runner=InlineRunner)
    ran = sweep.submit(space_file, GPUS, parameters={"unroll": [1], "block_size": [64]}).wait()
    by_gpu = {trial.gpu: trial.reason for trial in ran.trials()}
    assert by_gpu == {"a100-80gb": "LaunchError", "h100-sxm": None}


def test_more_shared_memory_than_any_gpu_has_is_refused(client: Client, space_file: Path) -> None:
    edit(space_file, "block: block_size}", "block: block_size, dynamic_shared_bytes: block_size * 1024}")
    with pytest.raises(InputError, match=r"block_size = 256.*shared"):
        client.submit(space_file)


def test_a_syntax_error_shows_the_compilers_line(client: Client, space_file: Path) -> None:
    source = space_file.parent / "kernel.cu"
    source.write_text(source.read_text().replace("blockIdx.x *", "blockIdx.x * oops"))
    with pytest.raises(CompileError, match=r"kernel\.cu\(4\).*oops"):
        client.submit(space_file)


def test_arguments_that_do_not_fit_are_refused(client: Client, space_file: Path) -> None:
    edit(space_file, "  - {name: n, type: int32, value: n}\n", "")
    with pytest.raises(LaunchError, match="takes 3 arguments, not 2"):
        client.submit(space_file)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"gpu": ["h100"]}, UnknownGpu, "h100-"),
        ({"parameters": {"unrol": [1]}}, SpaceError, "did you mean unroll"),
        ({"parameters": {"unroll": [1], "width": [2]}}, SpaceError, "no point satisfies"),
        ({"parameters": {"unroll": [1, 2], "width": [1, 4]}}, InputError, "no valid point has width = 4"),
        ({"trials": 0}, InputError, "at least 1"),
        ({"timeout": -1}, InputError, "positive number"),
        ({"sampler": "tpee"}, InputError, "did you mean 'tpe'"),
    ],
)
def test_bad_requests_are_refused_before_anything_is_stored(
    client: Client, space_file: Path, change: dict[str, object], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        client.submit(space_file, **change)  # type: ignore[arg-type]
    assert client.sweeps() == []


def test_unknown_spaces_and_metrics_are_refused(client: Client, space_file: Path) -> None:
    with pytest.raises(InputError, match="rsqrt_chain"):
        client.submit("rsqrt_chian")
    edit(space_file, "minimize time_us", "minimize time_ms")
    with pytest.raises(InputError, match="did you mean time_us"):
        client.submit(space_file)


def test_the_process_may_end_while_a_sweep_runs(home: Path, space_file: Path) -> None:
    """A script that forgets to wait leaves a stopped sweep and no hanging process."""
    import subprocess
    import sys

    script = (
        "import time; from functools import partial; from dse import Client\n"
        "from dse.runners.inline import InlineRunner; from dse.evaluation.tasks import Outcome\n"
        "def slow(task):\n"
        "    time.sleep(0.2)\n"
        "    return Outcome(task.point_hash, 'complete', metrics={'time_us': 1.0})\n"
        f"Client(tracking=False, runner=partial(InlineRunner, slow)).submit({str(space_file)!r})\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True, timeout=30, env={**os.environ})
    assert [sweep.status().state for sweep in Client(home).sweeps()] == ["stopped"]
