"""Fifty people at once: how long a server's answers take while they submit, watch and ask, and its workers simulate.

    python -m benchmarks.service.clients [--clients 50] [--seconds 60] [--trials 20]

Starts `dse serve` in a new folder. Each client is a thread with a client of its own: it submits a sweep of the
catalog under its own id, looks where it is, and asks for trials, the best and the list, with pauses as people
make them, until the time is over; then every sweep must be there and end. Printed are, for each kind of
request, how many there were, the median, the 99th percentile and the slowest, in milliseconds.
"""

import os
import re
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from random import Random
from time import monotonic, sleep

from benchmarks.figures import Latencies, console, machine, parser
from dse import Client
from dse.service import Service
from dse.store import SweepQuery, TrialQuery

#: Seconds between a client's requests, at most.
MAX_PAUSE_S = 2.0
FASTEST = TrialQuery("state = 'complete'", "metrics.time_us", limit=20)
LATEST = SweepQuery(limit=20, newest_first=True)
GPUS = ["a100-40gb", "a100-80gb", "h100-pcie", "h100-sxm", "h200", "b200"]


class Clients:
    """Threads that use one server, and what they saw."""

    def __init__(self, url: str, count: int, seconds: float, trials: int) -> None:
        self.errors: list[str] = []
        self._url = url
        self._trials = trials
        self._deadline = monotonic() + seconds
        self.latencies = Latencies()
        self._threads = [threading.Thread(target=self._work, args=(number,)) for number in range(count)]

    def run(self) -> None:
        """Let them work until the time is over."""
        for thread in self._threads:
            thread.start()
        for thread in self._threads:
            thread.join()

    def _work(self, number: int) -> None:
        chance = Random(number)
        try:
            client = Client(self._url)
            self._submit(client, number, chance)
            while monotonic() < self._deadline:
                sleep(chance.uniform(0, MAX_PAUSE_S))
                self._ask(client.service, f"client-{number}", chance)
        except Exception as error:
            self.errors.append(f"client {number}: {type(error).__name__}: {error}")

    def _submit(self, client: Client, number: int, chance: Random) -> None:
        gpu, name = chance.choice(GPUS), f"client-{number}"
        self.latencies.timed(
            "submit", lambda: client.submit("fma_chain", gpu, trials=self._trials, seed=number, id=name)
        )

    def _ask(self, service: Service, sweep: str, chance: Random) -> None:
        questions: dict[str, Callable[[], object]] = {
            "status": lambda: service.status(sweep),
            "trials": lambda: service.trial_page(sweep, FASTEST),
            "best": lambda: service.best(sweep),
            "list": lambda: service.sweep_page(LATEST),
        }
        kind = chance.choices(list(questions), weights=[6, 2, 1, 1])[0]
        self.latencies.timed(kind, questions[kind])


def main() -> None:
    """Serve, let the clients work, wait for their sweeps, and print what was seen."""
    command = parser(__doc__)
    command.add_argument("--clients", type=int, default=50)
    command.add_argument("--seconds", type=float, default=60)
    command.add_argument("--trials", type=int, default=20, help="of each client's sweep")
    arguments = command.parse_args()
    console().print(machine())
    with tempfile.TemporaryDirectory() as folder:
        serve = [sys.executable, "-m", "dse", "serve", "--home", folder, "--port", "0"]
        server = subprocess.Popen(serve, stdout=subprocess.PIPE, text=True, env={**os.environ})
        assert server.stdout
        found = re.search(r"http://\S+", server.stdout.readline())
        assert found
        try:
            Client(found[0]).submit("fma_chain", "h200", trials=1, id="warm").wait()
            clients = Clients(found[0], arguments.clients, arguments.seconds, arguments.trials)
            clients.run()
            sweeps = [sweep.wait().status() for sweep in Client(found[0]).sweeps()]
        finally:
            server.terminate()
            server.wait(60)
    console().print(clients.latencies.table(without="submit"))
    finished = sum(status.state == "finished" for status in sweeps)
    console().print(
        f"{finished} of {arguments.clients + 1} sweeps finished; errors: {clients.errors or 'none'}"
    )


if __name__ == "__main__":
    main()
