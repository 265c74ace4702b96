"""How fast sweeps are written to MLflow, and whether that survives kills; each part prints what it saw.

    python -m benchmarks.service.mlflow_export rates            # child runs a second, to SQLite and to a server
    python -m benchmarks.service.mlflow_export large --trials N # a sweep of a million trials: seconds and memory
    python -m benchmarks.service.mlflow_export kills --kills N  # SIGKILL of exporter and server: runs whole and unique

Trials are made, not evaluated, with as many metrics as an evaluation gives.
"""

import multiprocessing
import random
import tempfile
from collections.abc import Iterator, Sequence
from itertools import islice
from multiprocessing.context import ForkServerContext
from multiprocessing.process import BaseProcess
from pathlib import Path
from time import perf_counter, sleep
from typing import Any

from benchmarks.figures import machine, parser, peak_mib
from dse.evaluation.tasks import Outcome
from dse.store import METRIC_COLUMNS, Store, SweepSpec, SweepState, Trial
from dse.tracking import MAX_CHILDREN, MlflowTracker, TrackingError
from testing.mlflow_server import Server, read_runs

GPUS = ("h200", "a100-80gb")
SPACE, SOURCE = "kernel: dot\n", 'extern "C" __global__ void dot() {}\n'
PARAMETERS = {"unroll": (1, 2, 4, 8), "block_size": (64, 128, 256, 512), "register_cap": (None, 32, 64)}
WORDS = ("regime", "bottleneck")
RECORDED_AT_ONCE = 5000
#: Trials of a sweep that is written while its writers are killed; all of them are shown.
KILLED_TRIALS = 120
OBJECTIVES = (("minimize", "time_us"),)
VICTIMS = ("sqlite-exporter", "server-exporter", "server")


def main() -> None:
    """Run the part that the command line names."""
    command = parser(__doc__)
    command.add_argument("part", choices=("rates", "large", "kills"))
    command.add_argument("--trials", type=int, default=1_000_000)
    command.add_argument("--kills", type=int, default=100)
    command.add_argument("--victims", nargs="*", choices=VICTIMS, default=VICTIMS)
    options = command.parse_args()
    print(machine())
    with tempfile.TemporaryDirectory(prefix="mlflow-") as name:
        folder = Path(name)
        if options.part == "rates":
            rates(folder)
        elif options.part == "large":
            large(folder, options.trials)
        else:
            kills(folder, options.kills, options.victims)


def make_sweep(
    store: Store, trials: int, objectives: tuple[tuple[str, str], ...], state: SweepState = "finished"
) -> int:
    """A sweep with its trials."""
    spec = SweepSpec("dot", SPACE, SOURCE, GPUS, PARAMETERS, objectives=objectives, total=trials)
    sweep_id = store.create_sweep(spec).id
    made = make_trials(sweep_id, trials)
    while batch := list(islice(made, RECORDED_AT_ONCE)):
        store.record(sweep_id, batch)
    store.change_state(sweep_id, "running", state)
    return sweep_id


def make_trials(sweep_id: int, trials: int) -> Iterator[Trial]:
    """Trials whose metrics scatter, the same each time."""
    scatter = random.Random(sweep_id)
    for number in range(trials):
        metrics: dict[str, Any] = {name: scatter.random() for name in METRIC_COLUMNS if name not in WORDS}
        metrics |= {"time_us": 1 + 99 * scatter.random(), "regime": "latency"}
        parameters = {name: scatter.choice(values) for name, values in PARAMETERS.items()}
        result = Outcome(f"{sweep_id}-{number}", "complete", metrics=metrics, simulate_s=0.05)
        gpu = GPUS[number % len(GPUS)]
        yield Trial(number, gpu, number // len(GPUS), parameters, result)


def rates(folder: Path) -> None:
    """Time an export of 400 children to each kind of MLflow, and one after an outage of the server."""
    store = Store.open(folder / "dse.db")
    first, *_, last = (make_sweep(store, MAX_CHILDREN, OBJECTIVES) for _ in range(3))
    warm_up = make_sweep(store, 10, OBJECTIVES)
    for uri in (f"sqlite:///{folder}/mlflow.db", None):
        server = None if uri else Server(folder).start()
        tracker = MlflowTracker(uri or server.uri, store)  # type: ignore[union-attr]
        tracker.sync(warm_up)
        seconds = timed(tracker, first)
        print(
            f"{uri or 'server'}: {MAX_CHILDREN} children and the files in {seconds:.1f} s, "
            f"{MAX_CHILDREN / seconds:.0f} a second"
        )
        if server:
            catch_up(server, tracker, last)
            server.kill()


def catch_up(server: Server, tracker: MlflowTracker, sweep_id: int) -> None:
    """Time an export that fails at first, for the server is down, from the server's return on."""
    server.kill()
    try:
        tracker.sync(sweep_id)
    except TrackingError as error:
        print(f"down: {error}")
    server.start()
    print(f"back: caught up with {MAX_CHILDREN} children after {timed(tracker, sweep_id):.1f} s")


def timed(tracker: MlflowTracker, sweep_id: int) -> float:
    """Seconds that an export takes."""
    started = perf_counter()
    tracker.sync(sweep_id)
    return perf_counter() - started


def large(folder: Path, trials: int) -> None:
    """Time the exports of a large sweep while it runs and at its end, and what memory they take."""
    store = Store.open(folder / "dse.db")
    started = perf_counter()
    objectives = (("minimize", "time_us"), ("minimize", "registers_per_thread"))
    sweep_id = make_sweep(store, trials, objectives, state="running")
    print(f"{trials:,} trials recorded in {perf_counter() - started:.0f} s; {peak_mib():.0f} MiB")
    tracker = MlflowTracker(f"sqlite:///{folder}/mlflow.db", store)
    for what in ("first export while it runs", "next one"):
        print(f"{what}: {timed(tracker, sweep_id):.2f} s; {peak_mib():.0f} MiB")
    store.change_state(sweep_id, "running", "finished")
    print(f"export of the end: {timed(tracker, sweep_id):.1f} s; {peak_mib():.0f} MiB")
    children = read_runs(tracker.address.uri)[1]
    (parquet,) = folder.rglob("results.parquet")
    print(f"{len(children)} children; results.parquet of {parquet.stat().st_size / 2**20:.0f} MiB")


def kills(folder: Path, count: int, victims: Sequence[str]) -> None:
    """Kill exporters, and then servers, at random moments; count the runs that are missing, begun or there twice."""
    processes = multiprocessing.get_context("forkserver")
    processes.set_forkserver_preload(
        ["dse.tracking.sqlite_runs", "dse.tracking.client_runs", "dse.tracking.files", "dse.tracking.plots"]
    )
    store = Store.open(folder / "dse.db")
    moments = random.Random(0)
    if "sqlite-exporter" in victims:
        uri = f"sqlite:///{folder}/mlflow.db"
        sweeps = kill_exporters(processes, store, uri, count, moments, longest_s=1.5)
        report(f"{count} kills of an exporter to SQLite", uri, store, sweeps)
    if not {"server-exporter", "server"} & set(victims):
        return
    server = Server(folder).start()
    if "server-exporter" in victims:
        sweeps = kill_exporters(processes, store, server.uri, count, moments, longest_s=8)
        report(f"{count} kills of an exporter to a server", server.uri, store, sweeps)
    if "server" in victims:
        sweeps = kill_servers(processes, store, server, count, moments)
        report(f"{count} kills of a server", server.uri, store, sweeps)
    server.kill()


def kill_exporters(
    processes: ForkServerContext,
    store: Store,
    uri: str,
    count: int,
    moments: random.Random,
    longest_s: float,
) -> list[int]:
    """Two exporters at once, again and again; one of them is killed while there is something to write."""
    sweeps = [make_sweep(store, KILLED_TRIALS, OBJECTIVES)]
    for _ in range(count):
        if store.sweep(sweeps[-1]).mlflow_run_id and sweeps[-1] not in store.outbox.behind():
            sweeps.append(make_sweep(store, KILLED_TRIALS, OBJECTIVES))
        both = [start_exporter(processes, store, uri, sweeps[-1]) for _ in range(2)]
        sleep(moments.uniform(0, longest_s))
        moments.shuffle(both)
        both[0].kill()
        if moments.random() < 0.5:
            both[1].kill()
        for process in both:
            process.join()
    return sweeps


def kill_servers(
    processes: ForkServerContext, store: Store, server: Server, count: int, moments: random.Random
) -> list[int]:
    """An exporter that goes on while its server is killed and started again."""
    sweeps: list[int] = []
    exporter: BaseProcess | None = None
    for _ in range(count):
        if exporter is None or not exporter.is_alive():
            sweeps.append(make_sweep(store, KILLED_TRIALS, OBJECTIVES))
            exporter = start_exporter(processes, store, server.uri, sweeps[-1])
        sleep(moments.uniform(0, 5))
        server.kill()
        server.start()
    if exporter:
        exporter.join()
    return sweeps


def start_exporter(processes: ForkServerContext, store: Store, uri: str, sweep_id: int) -> BaseProcess:
    """A process that writes a sweep to its end."""
    process = processes.Process(target=export, args=(store.url, uri, sweep_id), daemon=True)
    process.start()
    return process


def export(store_url: str, uri: str, sweep_id: int) -> None:
    """Write a sweep, however often MLflow fails."""
    tracker = MlflowTracker(uri, Store.open(store_url))
    while True:
        try:
            tracker.sync(sweep_id)
        except TrackingError:
            sleep(0.2)
        else:
            return


def report(title: str, uri: str, store: Store, sweeps: list[int]) -> None:
    """Write what is left, and say what MLflow shows then; `read_runs` fails where a run is there twice."""
    for sweep_id in sweeps:
        MlflowTracker(uri, store).sync(sweep_id)
    parents, children = read_runs(uri)
    keys = {store.sweep(sweep_id).key for sweep_id in sweeps}
    ours = [run for tag, run in children.items() if tag.partition("/")[0] in keys]
    whole = [run for run in ours if run.info.status == "FINISHED" and "time_us" in run.data.metrics]
    ended = [key for key in keys if "dse.results" in parents[f"dot sweep {key}"].data.tags]
    print(
        f"{title}: of {len(sweeps)} sweeps {len(ended)} are whole, of {len(sweeps) * KILLED_TRIALS} trials "
        f"{len(whole)}; no run is there twice",
        flush=True,
    )


if __name__ == "__main__":
    main()
