"""How fast the store takes results in, answers known points, and reads a sweep of a million trials.

    python -m benchmarks.service.store [--trials 1000000] [--points 20480] [--seconds 3] [--database URL]

Without a URL the database is a new SQLite file; with one it must be empty and is filled. Rates are beside
those of the driver's own `executemany` with the same rows in the same tables and transactions, for figures of a
busy machine say little alone. Times of reading are medians of five.
"""

import hashlib
import json
import statistics
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

from sqlalchemy import create_engine, make_url

from benchmarks.figures import machine, parser, peak_mib
from dse.evaluation.tasks import Outcome
from dse.store import METRIC_COLUMNS, Store, SweepSpec, Trial, TrialQuery
from dse.store.records import workload_key
from dse.store.schema.rows import result_row, trial_row
from dse.tables.parquet import write_parquet

GPUS = ("a100-80gb", "b200", "h100-sxm", "h200")
SIZES = (256, 512, 1024, 2048)
BATCHES = (1, 8, 64)
#: What a run records at once when points are answered at once.
FILL = 1000
SPEC = SweepSpec(
    name="scale",
    space_yaml="kernel: scale\n" * 100,
    source="// a line of the kernel's source\n" * 200,
    gpus=GPUS,
    parameters={"n": SIZES, "unroll": tuple(range(64)), "block_size": (64, 128, 256, 512)},
    workload=("n",),
)


def trial(label: str, index: int) -> Trial:
    """A trial by formula, with as much in it as a real one has."""
    gpu = GPUS[index % len(GPUS)]
    point_hash = hashlib.sha256(f"{label}/{index}".encode()).hexdigest()
    point = {"n": SIZES[index // 4 % 4], "unroll": index // 16 % 64, "block_size": 64 << index % 4}
    if index % 50 == 0:
        reason = ("LaunchError", "CompileError")[index % 3 == 0]
        failed = Outcome.failure(point_hash, reason, "block_size = 1025: 1024 threads at most", final=True)
        return Trial(index, gpu, index, point, failed)
    noise = int(point_hash[:6], 16) / 2**24
    metrics: dict[str, Any] = {name: noise + place for place, name in enumerate(METRIC_COLUMNS)}
    metrics |= {"regime": "latency", "bottleneck": "long_scoreboard", "label": "calibrated"}
    metrics |= {
        name: 32 for name in METRIC_COLUMNS if name.endswith(("_per_thread", "_per_sm", "_per_block"))
    }
    metrics |= {"warp_instructions": 1000 + index, "advice": ["Start more loads before the first use."]}
    metrics |= {"occupancy": {"limiters": ["registers"], "arithmetic": ["65536 / 8192 = 8 blocks"] * 4}}
    complete = Outcome(point_hash, "complete", metrics=metrics, compile_s=0.03, simulate_s=0.02)
    return Trial(index, gpu, index, point, complete)


@dataclass(frozen=True)
class Size:
    """How much is recorded for a rate.

    Attributes:
        points: trials there are at most.
        seconds: how long new ones are recorded at most.
    """

    points: int
    seconds: float


def rate(batch: int, size: Size, write: Callable[[list[Trial]], None], label: str) -> float:
    """Trials a second that a function takes in such batches."""
    prepared = [[trial(label, start + i) for i in range(batch)] for start in range(0, size.points, batch)]
    write(prepared[0])
    began, done = perf_counter(), 0
    for trials in prepared[1:]:
        write(trials)
        done += batch
        if perf_counter() - began > size.seconds:
            break
    return done / (perf_counter() - began)


def raw_writer(url: str, store: Store, sweep_id: int) -> Callable[[list[Trial]], None]:
    """What writes the same rows through the driver alone."""
    connection: Any = create_engine(make_url(url)).raw_connection()
    mark = "?" if url.startswith("sqlite") else "%s"
    if url.startswith("sqlite"):
        for pragma in ("journal_mode = WAL", "synchronous = NORMAL"):
            connection.cursor().execute(f"PRAGMA {pragma}")

    def insert(table: str, rows: list[dict[str, Any]]) -> None:
        marks = ", ".join([mark] * len(rows[0]))
        values = [[json.dumps(v) if isinstance(v, dict) else v for v in row.values()] for row in rows]
        connection.cursor().executemany(
            f"INSERT INTO {table} ({', '.join(rows[0])}) VALUES ({marks})", values
        )

    def write(trials: list[Trial]) -> None:
        insert("results", [result_row(new.result) for new in trials])
        repeated = [
            {
                "state": new.result.state,
                "reason": new.result.reason,
                "score": new.result.metrics.get("time_us"),
                "workload": workload_key(SPEC.workload, new.parameters),
            }
            for new in trials
        ]
        insert(
            "trials",
            [{**trial_row(sweep_id, new), **more} for new, more in zip(trials, repeated, strict=True)],
        )
        connection.commit()

    return write


def measure_recording(url: str, store: Store, size: Size) -> None:
    """New results a second, and known ones, in batches of some sizes."""
    for batch in BATCHES:
        sweep_id, raw_id = store.create_sweep(SPEC).id, store.create_sweep(SPEC).id
        raw = rate(batch, size, raw_writer(url, store, raw_id), f"raw {batch}")
        stored = rate(batch, size, partial(store.record, sweep_id), f"new {batch}")
        print(
            f"new, {batch:3} a transaction: {stored:8,.0f}/s, {stored / raw:.2f} of executemany's {raw:,.0f}/s"
        )
    sweep_id = store.create_sweep(SPEC).id

    def answer(trials: list[Trial]) -> None:
        known = store.known(new.result.point_hash for new in trials)
        found = [replace(new, result=known[new.result.point_hash], source="known") for new in trials]
        store.record(sweep_id, found)

    points = [trial("known", index) for index in range(size.points)]
    for start in range(0, len(points), FILL):
        store.record(store.create_sweep(SPEC).id, points[start : start + FILL])
    began = perf_counter()
    for start in range(0, len(points), 256):
        answer(points[start : start + 256])
    print(f"known, 256 at once: {len(points) / (perf_counter() - began):,.0f}/s")


def fill(store: Store, count: int) -> int:
    """A sweep with that many trials."""
    sweep_id = store.create_sweep(SPEC, "large").id
    began = perf_counter()
    for start in range(0, count, FILL):
        store.record(sweep_id, [trial("large", index) for index in range(start, min(start + FILL, count))])
    store.keep_columns(sweep_id)  # as a coordinator does meanwhile
    print(f"a sweep of {count:,}: {count / (perf_counter() - began):,.0f}/s, {FILL} a transaction")
    return sweep_id


def measure_reading(store: Store, sweep_id: int) -> None:
    """Milliseconds of what people ask of a large sweep."""
    reads: dict[str, Callable[[], object]] = {
        "sweep": lambda: store.sweep("large"),
        "counts": lambda: store.counts(sweep_id),
        "best": lambda: store.best(sweep_id),
        "winners": lambda: store.winners(sweep_id),
        "first page": lambda: store.trials(sweep_id, TrialQuery(limit=50)),
        "page at 1,000": lambda: store.trials(sweep_id, TrialQuery(limit=50, offset=1000)),
        "top 20": lambda: store.trials(sweep_id, TrialQuery(order_by="metrics.time_us", limit=20)),
        "worst 20": lambda: store.trials(sweep_id, TrialQuery(order_by="metrics.time_us desc", limit=20)),
        "top 20 of a GPU": lambda: store.trials(sweep_id, TrialQuery("gpu = 'h200'", "metrics.time_us", 20)),
        "20 failures": lambda: store.trials(sweep_id, TrialQuery("state = 'failed'", limit=20)),
        "a reason's 20": lambda: store.trials(sweep_id, TrialQuery("reason = 'LaunchError'", limit=20)),
        "best of a parameter": lambda: store.best(sweep_id, filter="params.unroll = 8"),
        "20 by another metric": lambda: store.trials(
            sweep_id, TrialQuery(order_by="metrics.ipc desc", limit=20)
        ),
        "20 by a metric with ties": lambda: store.trials(
            sweep_id, TrialQuery(order_by="metrics.registers_per_thread", limit=20)
        ),
        "20 by a metric of a GPU": lambda: store.trials(
            sweep_id, TrialQuery("gpu = 'h200'", "metrics.issue_active desc", 20)
        ),
    }
    for name, read in reads.items():
        print(f"{name}: {statistics.median(_milliseconds(read) for _ in range(5)):.1f} ms")


def _milliseconds(read: Callable[[], object]) -> float:
    began = perf_counter()
    read()
    return 1000 * (perf_counter() - began)


def measure_export(store: Store, sweep_id: int) -> None:
    """Trials a second into a Parquet file, and the memory that it took."""
    before, began = peak_mib(), perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        count = write_parquet(store.stream_trials(sweep_id), Path(folder) / "results.parquet", SPEC)
    seconds = perf_counter() - began
    print(f"export: {count / seconds:,.0f} trials/s, peak memory {before:,.0f} -> {peak_mib():,.0f} MiB")


def main() -> None:
    """Record, read and export, and print the rates."""
    command = parser(__doc__)
    command.add_argument("--trials", type=int, default=1_000_000, help="of the sweep that is read")
    command.add_argument("--points", type=int, default=20_480, help="recorded at most for each rate")
    command.add_argument(
        "--seconds", type=float, default=3, help="of recording new points for each rate, at most"
    )
    command.add_argument("--database", help="an empty one; default: a new SQLite file")
    asked = command.parse_args()
    if asked.points <= max(BATCHES) or asked.trials < 1:
        command.error(f"a rate needs --points {max(BATCHES) + 1} or more, and --trials 1 or more")
    print(machine())
    with tempfile.TemporaryDirectory() as folder:
        url = asked.database or f"sqlite:///{folder}/dse.db"
        store = Store.open(url)
        measure_recording(url, store, Size(asked.points, asked.seconds))
        sweep_id = fill(store, asked.trials)
        measure_reading(store, sweep_id)
        measure_export(store, sweep_id)
        store.close()


if __name__ == "__main__":
    main()
