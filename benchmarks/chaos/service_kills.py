"""SIGKILL at random moments to every process of a service: is every trial there once, as if nobody had done that?

    python -m benchmarks.chaos.service_kills [--kills 100] [--victims ...] [--points 128] [--postgres] [--mlflow]

Starts `dse serve` (with `--postgres` on a PostgreSQL server, with `--mlflow` on an MLflow server of its own), submits
one sweep after the other, and kills a victim every few seconds until each kind has died so often; what is nobody's
child is started again, as an operator's supervisor would. In the end the rows of every sweep are compared with those
of a run in one process that nobody touched, the counters with the rows, and MLflow's runs with the trials.
"""

import os
import socket
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random
from time import monotonic, sleep
from typing import Any

from benchmarks import processes
from benchmarks.figures import console, machine, parser
from dse import Client
from dse.errors import ServerError
from dse.runners.inline import InlineRunner
from dse.store import Store
from dse.store.check import problems
from testing.mlflow_server import Server
from testing.postgres import PostgresServer

SOURCE = """
extern "C" __global__ void scale(float* data, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        for (int step = 0; step < UNROLL; ++step) data[i] = data[i] * 0.5f + ROUND;
}
"""
SPACE = """
kernel: scale
parameters:
  round: [{round}]
  unroll: {unrolls}
  block_size: [64, 128, 256, 512]
gpu: [a100-80gb, h100-sxm, h200, b200]
launch: {{grid: "ceil_div(n, block_size)", block: block_size}}
values: {{n: 65536}}
arguments:
  - {{name: data, type: float32, elements: n, fill: uniform}}
  - {{name: n, type: int32, value: n}}
"""
#: Points for each value of `unroll`.
POINTS_EACH = 16
VICTIMS = ("coordinator", "api", "worker")
#: Seconds between the first trial after a kill and the next kill, at least and at most.
PAUSE_S = 0.0, 3.0
#: Seconds that the first trial after a kill is waited for: some moments without any are worth a kill too.
PATIENCE_S = 15.0
DSE = [sys.executable, "-m", "dse"]


class Service:
    """A server with all that it stands on, and ways to kill each part."""

    def __init__(self, home: Path, database: str | None, mlflow: Server | None) -> None:
        self.home = home
        self.database = database
        self.port = _free_port()
        self.mlflow = mlflow
        self._environment = {**os.environ, "DSE_HOME": str(home)}
        if database:
            self._environment["DSE_DATABASE"] = database
        if mlflow:
            self._environment["DSE_MLFLOW"] = mlflow.uri
            mlflow.launch()
        self.start_api()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start_api(self) -> None:
        command = [*DSE, "serve", "--port", str(self.port)]
        self._api = subprocess.Popen(command, env=self._environment, stdout=subprocess.DEVNULL)

    def kill_api(self) -> bool:
        self._api.kill()
        self._api.wait()
        self.start_api()
        return True

    def kill_coordinator(self) -> bool:
        return self._kill_one(lambda words: "coordinate" in words)

    def kill_worker(self) -> bool:
        return self._kill_one(
            lambda words: "dse.runners.child" in words or any("BatchEvaluator" in word for word in words)
        )

    def kill_mlflow(self) -> bool:
        assert self.mlflow
        self.mlflow.kill()
        self.mlflow.launch()
        return True

    def end(self) -> None:
        self._api.terminate()
        self._api.wait(60)
        if self.mlflow:
            self.mlflow.kill()

    def _kill_one(self, is_victim: Callable[[list[str]], bool]) -> bool:
        """Kill the first of the server's processes whose command line says so; whether there was one."""
        ours = processes.family(self._api.pid)
        return any(is_victim(processes.words(each)) and processes.kill(each) for each in ours)


def main() -> None:
    """Kill, compare, and print what was seen."""
    command = parser(__doc__)
    command.add_argument("--kills", type=int, default=100, help="of each victim")
    command.add_argument("--victims", nargs="+", choices=VICTIMS, default=VICTIMS)
    command.add_argument(
        "--points", type=int, default=128, help=f"of each sweep; a multiple of {POINTS_EACH}"
    )
    command.add_argument(
        "--postgres", action="store_true", help="keep sweeps in PostgreSQL, and kill that too"
    )
    command.add_argument("--mlflow", action="store_true", help="write to an MLflow server, and kill that too")
    command.add_argument("--seed", type=int, default=0)
    asked = command.parse_args()
    console().print(machine())
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        _database(asked.postgres) as (url, kill),
    ):
        service = Service(Path(folder), url, Server(Path(folder)) if asked.mlflow else None)
        kills: dict[str, Callable[[], bool]] = {
            name: getattr(service, f"kill_{name}") for name in asked.victims
        }
        kills |= {"postgres": kill} if asked.postgres else {}
        kills |= {"mlflow": service.kill_mlflow} if asked.mlflow else {}
        unrolls = list(range(1, asked.points // POINTS_EACH + 1))
        try:
            dead, rounds = _kill_all(service, kills, asked.kills, unrolls, Random(asked.seed))
            report = _compare(service, rounds, unrolls)
        finally:
            service.end()
    console().print(f"killed: {dict(dead)}")
    for line in report:
        console().print(line)


def _kill_all(
    service: Service, kills: dict[str, Callable[[], bool]], wanted: int, unrolls: list[int], chance: Random
) -> tuple[Counter[str], int]:
    """Kill each victim so often, with a sweep always running; how often each died, and how many sweeps there were."""
    dead: Counter[str] = Counter()
    rounds = 0
    client = Client(service.url)
    while min(dead[name] for name in kills) < wanted:
        if rounds == 0 or _is_over(client, f"round-{rounds - 1}"):
            _patiently(lambda: _submit(client, rounds, unrolls))  # noqa: B023 - called at once
            rounds += 1
        _await_progress(client, f"round-{rounds - 1}")
        sleep(chance.uniform(*PAUSE_S))
        name = chance.choice([name for name in kills if dead[name] < wanted])
        dead[name] += kills[name]()
        print(f"\r{dict(dead)}, {rounds} sweeps", end="", flush=True)
    for number in range(rounds):
        _patiently(lambda: client.sweep(f"round-{number}").wait())  # noqa: B023 - called at once
    print()
    return dead, rounds


def _await_progress(client: Client, sweep: str) -> None:
    """Wait until another trial is recorded, or the sweep is over, or long enough."""
    deadline = monotonic() + PATIENCE_S
    before = _patiently(lambda: client.sweep(sweep).status())
    while before.is_active and monotonic() < deadline:
        now = _patiently(lambda: client.sweep(sweep).status())
        if now.counts.done > before.counts.done or not now.is_active:
            return
        sleep(0.2)


def _submit(client: Client, number: int, unrolls: list[int]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        _write_space(Path(folder), number, unrolls)
        client.submit(folder, id=f"round-{number}")


def _write_space(folder: Path, number: int, unrolls: list[int]) -> None:
    (folder / "kernel.cu").write_text(SOURCE)
    (folder / "space.yaml").write_text(SPACE.format(round=number, unrolls=unrolls))


def _is_over(client: Client, sweep: str) -> bool:
    return bool(_patiently(lambda: not client.sweep(sweep).status().is_active))


def _patiently(action: Callable[[], Any]) -> Any:
    """The server may be dying for longer than a client waits."""
    while True:
        with suppress(ServerError):
            return action()


def _compare(service: Service, rounds: int, unrolls: list[int]) -> list[str]:
    """What differs from runs that nobody touched."""
    different, missing = [], []
    client = Client(service.url)
    with tempfile.TemporaryDirectory() as folder:
        quiet = Client(Path(folder) / "quiet", InlineRunner, tracking=False)
        for number in range(rounds):
            _write_space(Path(folder), number, unrolls)
            undisturbed = quiet.submit(folder, id=f"round-{number}").wait().rows()
            rows = client.sweep(f"round-{number}").rows()
            if rows != undisturbed:
                different.append(number)
            missing.append(len(undisturbed) - len(rows))
    found = problems(service.database or service.home / "dse.db")
    lines = [f"{rounds} sweeps; {sum(missing)} trials missing; sweeps that differ: {different or 'none'}"]
    lines.append(f"the database: {'; '.join(found) or 'whole'}")
    return [*lines, *(_mlflow_report(service, rounds) if service.mlflow else [])]


def _mlflow_report(service: Service, rounds: int) -> list[str]:
    """Runs that are missing, there twice or unfinished, once the exporter has had its time."""
    from mlflow import MlflowClient

    assert service.mlflow
    mlflow = MlflowClient(service.mlflow.wait().uri)
    store = Store.open(service.database or service.home / "dse.db")
    deadline = monotonic() + 300
    while store.outbox.behind() and monotonic() < deadline:
        sleep(1)
    experiment = mlflow.get_experiment_by_name("scale")
    assert experiment
    runs = list(mlflow.search_runs([experiment.experiment_id], max_results=50_000))
    trials = Counter(run.data.tags["dse.trial"] for run in runs if "dse.trial" in run.data.tags)
    parents = Counter(run.data.tags["dse.sweep"] for run in runs if "dse.trial" not in run.data.tags)
    unfinished = sum(run.info.status not in ("FINISHED", "FAILED") for run in runs)
    expected = sum(store.counts(store.sweep(f"round-{number}").id).done for number in range(rounds))
    return [
        f"MLflow: {len(parents)} parents of {rounds}, {len(trials)} trials of {expected}, "
        f"{sum(count > 1 for count in (parents + trials).values())} there twice, {unfinished} unfinished, "
        f"{len(store.outbox.behind())} sweeps behind"
    ]


@contextmanager
def _database(wanted: bool) -> Iterator[tuple[str | None, Callable[[], bool]]]:
    """A PostgreSQL server of our own if one is wanted, and what kills it and starts it again."""
    if not wanted:
        yield None, lambda: False
        return
    server = PostgresServer()

    def kill() -> bool:
        server.kill()
        server.start()
        return True

    yield server.create_database().render_as_string(hide_password=False), kill
    server.stop()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


if __name__ == "__main__":
    main()
