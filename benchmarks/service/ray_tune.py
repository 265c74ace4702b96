"""Trials a second: the service against Ray Tune, with the same evaluation, sampler, number of cores and MLflow.

    pip install -e '.[benchmarks]'
    python -m benchmarks.service.ray_tune [--trials 40] [--repeats 1] [--contenders service tune-reuse tune]

The evaluation is a formula over the parameters of the catalog's `dot`, preceded by a millisecond of arithmetic. Tune
runs it with OptunaSearch (TPE) and MLflowLoggerCallback, as it comes and with `reuse_actors=True`; the service
runs it as a sweep with the sampler `tpe`. All of them write MLflow runs, parameters and metrics into a SQLite
file, on the same two cores and the same Ray, started before. The clock covers the whole call: the start of
actors, the trials, and the last MLflow run. How many trials run at a time is left to each.
"""

import os
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import mlflow

from benchmarks.figures import console, figures, machine, parser
from dse import Client
from dse.evaluation.tasks import Outcome, Task
from dse.home import Home
from dse.runners.ray import RayRunner
from search_spaces import load_space

CORES = 2
SPACE = "dot"
GPUS = ["h200", "a100-80gb"]
EVALUATION_S = 0.001


@dataclass(frozen=True)
class Result:
    """How one contender did.

    Attributes:
        trials: complete ones.
        runs: MLflow runs of trials found afterwards.
        seconds: wall time.
    """

    trials: int
    runs: int
    seconds: float


def main() -> None:
    """Measure and print."""
    command = parser(__doc__)
    command.add_argument("--trials", type=int, default=40)
    command.add_argument("--repeats", type=int, default=1)
    command.add_argument("--contenders", nargs="+", choices=list(CONTENDERS), default=list(CONTENDERS))
    arguments = command.parse_args()
    start_ray()
    title = f"{arguments.trials} trials on {CORES} of {machine()}"
    table = figures(title, "", "trials", "MLflow runs", "s", "trials a second", "the first is faster")
    for _ in range(arguments.repeats):
        best = 0.0
        for name in arguments.contenders:
            with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
                result = CONTENDERS[name](Path(folder), arguments.trials)
            rate = result.trials / result.seconds
            best = best or rate
            table.add_row(
                name,
                f"{result.trials}",
                f"{result.runs}",
                f"{result.seconds:.1f}",
                f"{rate:.1f}",
                f"{best / rate:.1f} x",
            )
        table.add_section()
    console().print(table)


def start_ray() -> None:
    """One Ray for all contenders."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    os.environ["TUNE_DISABLE_AUTO_CALLBACK_LOGGERS"] = "1"
    import ray

    ray.init("local", num_cpus=CORES, include_dashboard=False, log_to_driver=False, logging_level="ERROR")


def formula(parameters: Mapping[str, Any]) -> float:
    """A time in microseconds, best in the middle of every parameter's values."""
    end = process_time() + EVALUATION_S
    while process_time() < end:
        pass
    accumulators, blocks, threads = (
        int(parameters[name]) for name in ("accumulators", "blocks", "block_size")
    )
    return 10 + abs(accumulators - 4) + abs(blocks - 264) / 264 + abs(threads - 256) / 256


def evaluate(task: Task) -> Outcome:
    """The formula, for the service."""
    defines = {name.lower(): value for name, value in task.defines.items()}
    time_us = formula({"blocks": task.launch.grid[0], "block_size": task.launch.block[0], **defines})
    return Outcome(task.point_hash, "complete", metrics={"time_us": time_us}, simulate_s=EVALUATION_S)


def service(folder: Path, trials: int) -> Result:
    """A sweep, from the request to the last MLflow run."""
    client = Client(folder, partial(RayRunner, evaluate, CORES, prepare=bool))
    began = perf_counter()
    sweep = client.submit(SPACE, gpu=GPUS, trials=trials, sampler="tpe").wait()
    seconds = perf_counter() - began
    complete = len(sweep.trials("state = 'complete'"))
    return Result(complete, mlflow_runs(Home.at(folder).mlflow_uri) - 1, seconds)


def tune(folder: Path, trials: int, reuse_actors: bool) -> Result:
    """Ray Tune, with the equivalent of what the service does."""
    from ray import tune
    from ray.air.integrations.mlflow import MLflowLoggerCallback
    from ray.tune.search.optuna import OptunaSearch

    uri = f"sqlite:///{folder}/mlflow.db"
    callback = MLflowLoggerCallback(tracking_uri=uri, experiment_name=SPACE)
    parameters = {name: tune.choice(list(values)) for name, values in load_space(SPACE).parameters.items()}
    tuner = tune.Tuner(
        lambda config: {"time_us": formula(config)},
        param_space=parameters | {"gpu": tune.choice(GPUS)},
        tune_config=tune.TuneConfig(
            metric="time_us",
            mode="min",
            search_alg=OptunaSearch(),
            num_samples=trials,
            reuse_actors=reuse_actors,
        ),
        run_config=tune.RunConfig(storage_path=str(folder / "tune"), callbacks=[callback], verbose=0),
    )
    began = perf_counter()
    results = tuner.fit()
    seconds = perf_counter() - began
    return Result(len(results) - results.num_errors, mlflow_runs(uri), seconds)


CONTENDERS: dict[str, Callable[[Path, int], Result]] = {
    "service": service,
    "tune-reuse": partial(tune, reuse_actors=True),
    "tune": partial(tune, reuse_actors=False),
}


def mlflow_runs(uri: str) -> int:
    """How many finished runs a tracking database holds."""
    client = mlflow.MlflowClient(uri)
    experiments = [experiment.experiment_id for experiment in client.search_experiments()]
    return len(client.search_runs(experiments, "attributes.status = 'FINISHED'", max_results=10_000))


if __name__ == "__main__":
    main()
