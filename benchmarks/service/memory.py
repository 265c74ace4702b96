"""How much memory a worker takes at most, over the catalog.

    python -m benchmarks.service.memory [--trials 8] [--gpus h200,b200] [--spaces dot,sgemm]

`dse run` evaluates some points of each space with nothing known of them; meanwhile the resident memory of all its
processes is read every 20 ms. What processes share, such as the jitted core, counts in each of them.
"""

import os
import subprocess
import sys
import tempfile
from contextlib import suppress
from time import sleep

import psutil

from benchmarks import processes
from benchmarks.caches import empty_caches
from benchmarks.figures import console, figures, machine, parser
from search_spaces import catalog_names

READ_EVERY_S = 0.02
MIB = 2**20


def main() -> None:
    """Measure and print."""
    command = parser(__doc__)
    command.add_argument("--trials", type=int, default=8, help="points of a space")
    command.add_argument("--gpus", default="h200,b200")
    command.add_argument("--spaces", help="default: all of the catalog")
    arguments = command.parse_args()
    spaces = arguments.spaces.split(",") if arguments.spaces else catalog_names()
    table = figures(f"Peak memory, {machine()}", "space", "dse run, MiB", "largest worker, MiB")
    for space in spaces:
        own, worker = peaks(space, arguments.gpus, arguments.trials)
        table.add_row(space, f"{own / MIB:.0f}", f"{worker / MIB:.0f}")
    console().print(table)


def peaks(space: str, gpus: str, trials: int) -> tuple[int, int]:
    """The most that the command and the largest of the processes that it started had, in bytes."""
    own = worker = 0
    command = [sys.executable, "-m", "dse", "run", space, "--gpu", gpus, "--trials", str(trials)]
    with empty_caches(), tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        run = subprocess.Popen(
            command,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "DSE_HOME": home},
        )
        while run.poll() is None:
            for process in processes.family(run.pid):
                with suppress(psutil.Error):
                    resident = process.memory_info().rss
                    if process.pid == run.pid:
                        own = max(own, resident)
                    else:
                        worker = max(worker, resident)
            sleep(READ_EVERY_S)
    return own, worker


if __name__ == "__main__":
    main()
