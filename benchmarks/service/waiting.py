"""How long a user waits: for a sweep, for one point, for a machine's first sweep, for a command to begin.

    python -m benchmarks.service.waiting [--before CHECKOUT] [--only WORD ...] [--repeats 3] [--points 240]

Each question is asked of the programs as a user starts them, in processes of their own with files of their own. With
`--before`, the folder of another checkout, it is asked of that one too, in turns, so that what else the machine does
counts for both. The figure is the median of the repeats. What must be compiled once per installation is compiled
before, except for `fresh`, which is asked once and begins without any file.

- import, help: until the process ends.
- simulate: `simcore simulate` of a kernel that was compiled before.
- evaluate: one point of 1 to 20 million warp instructions, in a process that is ready and has its machine code.
- known, point: `dse run` of a point that is known, or new, in a home that has had a sweep before; until its table,
  and until it ends.
- sweep: `dse run rsqrt_chain` on three GPUs, 240 points (or fewer), whose machine code must be compiled too; and the
  seconds of it that are not the evaluations' own, spread over the cores.
- fresh: the same with an empty cache and no home; until the first trial is stored, and until the table.
"""

import argparse
import os
import shutil
import sqlite3
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from threading import Thread
from time import perf_counter, sleep

from benchmarks.figures import console, figures, machine, parser

HERE = Path(__file__).parents[2]
GPUS = "a100-80gb,h100-sxm,b200"
SPACE = "rsqrt_chain"
UNROLLS, BLOCK_SIZES = (1, 2, 4, 8, 16), (64, 128, 256, 512)
POLL_S = 0.1

#: Prints the median seconds of the evaluation of small points, whose machine code is in the cache.
EVALUATE = """
from statistics import median
from time import perf_counter
from dse.evaluation.evaluate import evaluate, prepare
from dse.evaluation.machine_code import compile_task
from dse.evaluation.points import task_for
from search_spaces import load_space
prepare()
seconds = []
for name in ("rsqrt_chain", "dot", "sum_reduction", "fma_chain"):
    space = load_space(name)
    tasks = [task_for(space, point, "h200") for point in list(space.points())[::9]]
    for task in tasks:
        compile_task(task)
    for task in tasks:
        began = perf_counter()
        outcome = evaluate(task)
        if 1e6 <= outcome.metrics.get("warp_instructions", 0) <= 20e6:
            seconds.append(perf_counter() - began)
print(median(seconds))
"""


@dataclass(frozen=True)
class Side:
    """A checkout with files of its own.

    Attributes:
        checkout: the folder of the code.
        folder: for everything that it writes.
    """

    checkout: Path
    folder: Path

    def start(self, *words: object, **variables: object) -> "subprocess.Popen[str]":
        """Start Python with these arguments, nothing simulated; the environment names no files but this side's."""
        shutil.rmtree(self.folder / "cache" / "simulations", ignore_errors=True)
        files = {
            "PYTHONPATH": self.checkout,
            "SIMCORE_CACHE": self.folder / "cache",
            "DSE_HOME": self.folder / "home",
        }
        return subprocess.Popen(
            [sys.executable, *map(str, words)],
            env={**os.environ, **{name: str(value) for name, value in {**files, **variables}.items()}},
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            cwd=self.folder,
        )

    def run(self, *words: object, **variables: object) -> str:
        """What Python prints to its end."""
        process = self.start(*words, **variables)
        printed, _ = process.communicate()
        if process.returncode:
            raise SystemExit(f"{' '.join(map(str, words))}: exit status {process.returncode}")
        return printed

    def sweep(self, *options: object, **variables: object) -> tuple[float, float]:
        """Seconds of a `dse run` until its table, and until its end."""
        began = perf_counter()
        words = ("-m", "dse", "run", SPACE, *options)
        with self.start("-u", *words, **variables) as process:
            assert process.stdout
            table = next((perf_counter() - began for line in process.stdout if "finished:" in line), None)
            process.stdout.read()
        if table is None or process.returncode:
            raise SystemExit(f"{' '.join(map(str, words))}: exit status {process.returncode}")
        return table, perf_counter() - began


@dataclass(frozen=True)
class Question:
    """One question.

    Attributes:
        rows: what each of its answers says, with the unit.
        ask: gives the answers of a side.
        once: whether it takes too long to be repeated.
    """

    rows: tuple[str, ...]
    ask: Callable[[Side], tuple[float, ...]]
    once: bool = False


def single_points() -> list[list[str]]:
    """Points of the space, each as the options of a sweep of its own."""
    values = [("unroll", unroll, "block_size", block) for unroll in UNROLLS for block in BLOCK_SIZES]
    fixed = ["--gpu", "h200", "--set", "n=64", "--set", "register_cap=none"]
    return [
        [*fixed, "--set", f"{one}={first}", "--set", f"{other}={second}"]
        for one, first, other, second in values
    ]


def main() -> None:
    """Ask and print."""
    arguments = parse()
    sides = {"now": HERE} | ({"before": arguments.before.resolve()} if arguments.before else {})
    table = figures(f"on {machine()}", "", *reversed(sides))
    with TemporaryDirectory(prefix="dse-waiting-") as folder:
        asked = {name: Side(checkout, Path(folder) / name) for name, checkout in sides.items()}
        for side in asked.values():
            side.folder.mkdir()
            copy_core(side)
        for word, question in questions(arguments.points).items():
            if word in arguments.only:
                for row in answers(question, asked, arguments.repeats):
                    table.add_row(*row)
    console().print(table)


def answers(question: Question, sides: dict[str, Side], repeats: int) -> Iterator[list[str]]:
    """The rows of a question: the median answers of each side, the older side first."""
    taken: dict[str, list[tuple[float, ...]]] = {name: [] for name in sides}
    for _ in range(1 if question.once else repeats):
        for name, side in sides.items():
            taken[name].append(question.ask(side))
    for place, row in enumerate(question.rows):
        yield [row, *(f"{median(answer[place] for answer in taken[name]):.2f}" for name in reversed(sides))]


def questions(points: int) -> dict[str, Question]:
    """The questions by name."""
    known, *unknown = single_points()
    left: defaultdict[Side, Iterator[list[str]]] = defaultdict(lambda: iter(unknown))

    def point(side: Side) -> tuple[float, float]:
        prepare(side)
        return side.sweep(*next(left[side]))

    def again(side: Side) -> tuple[float, float]:
        prepare(side)
        return side.sweep(*known)

    return {
        "import": Question(("import dse, s",), lambda side: (seconds(side, "-c", "import dse"),)),
        "help": Question(
            ("dse --help, s", "simcore --help, s"),
            lambda side: (
                seconds(side, "-m", "dse", "--help"),
                seconds(side, "-c", "from simcore.cli import main; main()", "--help"),
            ),
        ),
        "simulate": Question(("simcore simulate, s",), lambda side: (seconds(side, *simulation(side)),)),
        "evaluate": Question(
            ("evaluation of a small kernel, s",), lambda side: (float(side.run("-c", EVALUATE)),)
        ),
        "known": Question(("dse run, a known point: table, s", "to its end, s"), again),
        "point": Question(("dse run, a new point: table, s", "to its end, s"), point),
        "sweep": Question(
            ("sweep, points/s to its table", "to its end", "s beyond compiling and simulating"),
            lambda side: sweep(side, points),
        ),
        "fresh": Question(
            ("fresh machine: first trial, s", "table, s"), lambda side: fresh(side, points), once=True
        ),
    }


def seconds(side: Side, *words: object) -> float:
    """Seconds of a process."""
    began = perf_counter()
    side.run(*words)
    return perf_counter() - began


def simulation(side: Side) -> list[object]:
    """The words of a `simcore simulate`."""
    source = side.checkout / "search_spaces" / "catalog" / SPACE / "kernel.cu"
    launch = ["--gpu", "h200", "--grid", 1024, "--block", 256, "-D", "UNROLL=4", "-D", "BLOCK_SIZE=256"]
    kinds = ("float32[16777216]:uniform", "float32[262144]", "float32=0.75", "float32=0.25", "int32=64")
    arguments = (word for kind in kinds for word in ("--arg", kind))
    return ["-c", "from simcore.cli import main; main()", "simulate", source, *launch, *arguments]


def prepare(side: Side) -> None:
    """Give a side a home with a sweep of the first point."""
    if not (side.folder / "home").exists():
        side.sweep(*single_points()[0])


def sweep(side: Side, points: int) -> tuple[float, float, float]:
    """A sweep of new points, without their machine code, in a home that has had a sweep."""
    prepare(side)
    cubins = side.folder / "cache" / "cubins"
    shutil.rmtree(cubins, ignore_errors=True)
    with TemporaryDirectory(dir=side.folder) as folder:
        table, end = side.sweep(*sweep_options(points), DSE_DATABASE=f"sqlite:///{folder}/dse.db")
        with closing(sqlite3.connect(f"{folder}/dse.db")) as connection:
            (busy,) = connection.execute("SELECT sum(compile_s + simulate_s) FROM results").fetchone()
    return points / table, points / end, end - busy / len(os.sched_getaffinity(0))


def fresh(side: Side, points: int) -> tuple[float, float]:
    """Seconds until the first trial is stored, and until the table, on a machine without any file of ours."""
    with TemporaryDirectory(dir=side.folder) as folder:
        home = Path(folder) / "home"
        began, first = perf_counter(), []
        watch = Thread(target=lambda: first.append(first_trial(home / "dse.db") - began), daemon=True)
        watch.start()
        table, _ = side.sweep(*sweep_options(points), SIMCORE_CACHE=f"{folder}/cache", DSE_HOME=home)
        watch.join(POLL_S)
    return first[0], table


def first_trial(database: Path) -> float:
    """When a database has its first trial, on the clock of `perf_counter`."""
    while True:
        sleep(POLL_S)
        if database.exists():
            try:
                with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
                    if connection.execute("SELECT 1 FROM trials LIMIT 1").fetchone():
                        return perf_counter()
            except sqlite3.Error:
                continue  # its tables are being made


def sweep_options(points: int) -> list[str]:
    """The options of a sweep of that many points on three GPUs."""
    gpus = ["--gpu", GPUS]
    return gpus if points == 240 else [*gpus, "--trials", str(points), "--sampler", "random"]


def copy_core(side: Side) -> None:
    """Give a side the compiled core of this user, if it fits; else it compiles its own before anything is timed."""
    ours = Path(os.environ.get("SIMCORE_CACHE") or Path.home() / ".cache" / "simcore") / "numba"
    if ours.exists():
        shutil.copytree(ours, side.folder / "cache" / "numba")
    side.run("-c", "import simcore; simcore.warm_up()")


def parse() -> argparse.Namespace:
    """The command line."""
    names = list(questions(240))
    command = parser(__doc__)
    command.add_argument("--before", type=Path, metavar="CHECKOUT", help="the folder of an older checkout")
    command.add_argument(
        "--only", nargs="+", choices=names, default=names, metavar="WORD", help=", ".join(names)
    )
    command.add_argument("--repeats", type=int, default=3)
    command.add_argument("--points", type=int, default=240, help="of the sweeps on three GPUs")
    return command.parse_args()


if __name__ == "__main__":
    main()
