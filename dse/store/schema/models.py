"""The tables: `sweeps` are requests, `results` are simulated points, `trials` connect the two.

Fields used for filtering and sorting have typed columns; the rest is JSON. A trial copies the fields of its result
that counting and ranking need, so that a sweep of a million trials is counted and ranked by index alone.
Constraint names follow one convention, so that migrations can refer to them on every database.
"""

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    DateTime,
    Dialect,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Text,
    false,
    text,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column
from sqlalchemy.types import TypeDecorator

#: Nsight Compute's names of warp states; `selected` is the state of a warp that issues.
STALL_REASONS = (
    "selected",
    "not_selected",
    "wait",
    "long_scoreboard",
    "short_scoreboard",
    "math_pipe_throttle",
    "mio_throttle",
    "lg_throttle",
    "tex_throttle",
    "dispatch_stall",
    "no_instruction",
    "imc_miss",
    "branch_resolving",
    "barrier",
    "membar",
    "drain",
    "sleeping",
    "misc",
    "gmma",
)


class UtcDateTime(TypeDecorator[datetime]):
    """A timezone-aware UTC time, also on databases without time zones."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        return value.astimezone(UTC) if value else None

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        return value.replace(tzinfo=UTC) if value and value.tzinfo is None else value


def ordered_name(length: int) -> String:
    """Text sorted by code point on every database, regardless of its collation."""
    return String(length).with_variant(String(length, collation="C"), "postgresql")


class Base(DeclarativeBase):
    """Base of all tables."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
            "pk": "pk_%(table_name)s",
        }
    )


class Sweep(Base):
    """One request: a space, GPUs, a budget.

    `key` is the public id, `id` the primary key; `question` is the digest of the original request.
    `revision` starts at a random number and increases with each change. It shows a worker of the sweep that the request
    has changed, or that this is a different sweep, since SQLite reuses the numbers of deleted ones.
    """

    __tablename__ = "sweeps"

    id: Mapped[int] = mapped_column(Integer, primary_key=True)
    key: Mapped[str] = mapped_column(String(100), unique=True, index=True, server_default="")
    question: Mapped[str | None] = mapped_column(String(64))
    name: Mapped[str] = mapped_column(String(200), index=True)
    state: Mapped[str] = mapped_column(String(16), index=True)
    sampler: Mapped[str] = mapped_column(String(40))
    seed: Mapped[int] = mapped_column(Integer)
    trials: Mapped[int | None] = mapped_column(Integer)
    timeout_s: Mapped[float | None] = mapped_column(Float)
    planned: Mapped[int] = mapped_column(Integer)
    spec: Mapped[dict[str, Any]] = mapped_column(JSON)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime, index=True)
    finished_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    mlflow_run_id: Mapped[str | None] = mapped_column(String(32))
    mlflow_page: Mapped[str | None] = mapped_column(Text)
    mlflow_dirty: Mapped[bool] = mapped_column(server_default=false())
    mlflow_finished_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    managed: Mapped[bool] = mapped_column(server_default=false())
    priority: Mapped[int] = mapped_column(Integer, server_default="0")
    stop_requested: Mapped[bool] = mapped_column(server_default=false())
    owner: Mapped[str | None] = mapped_column(String(100))
    revision: Mapped[int] = mapped_column(Integer, server_default="0")
    error: Mapped[str | None] = mapped_column(Text)


class Result(Base):
    """The result of one point on one GPU, shared by all sweeps."""

    __tablename__ = "results"

    point_hash: Mapped[str] = mapped_column(String(64), primary_key=True)
    state: Mapped[str] = mapped_column(String(16))
    reason: Mapped[str | None] = mapped_column(String(64))
    message: Mapped[str | None] = mapped_column(Text)

    time_us: Mapped[float | None] = mapped_column(Float)
    cycles: Mapped[float | None] = mapped_column(Float)
    warp_instructions: Mapped[int | None] = mapped_column(BigInteger)
    ipc: Mapped[float | None] = mapped_column(Float)
    issue_active: Mapped[float | None] = mapped_column(Float)
    achieved_occupancy: Mapped[float | None] = mapped_column(Float)
    theoretical_occupancy: Mapped[float | None] = mapped_column(Float)
    blocks_per_sm: Mapped[int | None] = mapped_column(Integer)
    registers_per_thread: Mapped[int | None] = mapped_column(Integer)
    code_bytes: Mapped[int | None] = mapped_column(Integer)
    local_bytes_per_thread: Mapped[int | None] = mapped_column(Integer)
    shared_bytes_per_block: Mapped[int | None] = mapped_column(Integer)
    dram_bytes: Mapped[float | None] = mapped_column(Float)
    l2_bytes: Mapped[float | None] = mapped_column(Float)
    regime: Mapped[str | None] = mapped_column(String(32))
    bottleneck: Mapped[str | None] = mapped_column(String(32))
    stall_selected: Mapped[float | None] = mapped_column(Float)
    stall_not_selected: Mapped[float | None] = mapped_column(Float)
    stall_wait: Mapped[float | None] = mapped_column(Float)
    stall_long_scoreboard: Mapped[float | None] = mapped_column(Float)
    stall_short_scoreboard: Mapped[float | None] = mapped_column(Float)
    stall_math_pipe_throttle: Mapped[float | None] = mapped_column(Float)
    stall_mio_throttle: Mapped[float | None] = mapped_column(Float)
    stall_lg_throttle: Mapped[float | None] = mapped_column(Float)
    stall_tex_throttle: Mapped[float | None] = mapped_column(Float)
    stall_dispatch_stall: Mapped[float | None] = mapped_column(Float)
    stall_no_instruction: Mapped[float | None] = mapped_column(Float)
    stall_imc_miss: Mapped[float | None] = mapped_column(Float)
    stall_branch_resolving: Mapped[float | None] = mapped_column(Float)
    stall_barrier: Mapped[float | None] = mapped_column(Float)
    stall_membar: Mapped[float | None] = mapped_column(Float)
    stall_drain: Mapped[float | None] = mapped_column(Float)
    stall_sleeping: Mapped[float | None] = mapped_column(Float)
    stall_misc: Mapped[float | None] = mapped_column(Float)
    stall_gmma: Mapped[float | None] = mapped_column(Float)
    extra: Mapped[dict[str, Any]] = mapped_column(JSON)

    compile_s: Mapped[float] = mapped_column(Float)
    simulate_s: Mapped[float] = mapped_column(Float)
    simulation: Mapped[str | None] = mapped_column(String(32), index=True)
    final: Mapped[bool] = mapped_column(server_default=false())
    simulator_version: Mapped[str] = mapped_column(String(32))
    compiler_version: Mapped[str] = mapped_column(String(32))


_HAS_RUN = text("mlflow_run_id IS NOT NULL")


class Trial(Base):
    """One point on one GPU in one sweep.

    `state` and `reason` are copied from its result. `score` is the result's value of the sweep's first objective,
    negated if maximised, so that lower is better; `workload` has the values of the workload parameters as JSON text.
    `same_code_as` is the number of the first trial of the sweep with the same simulation; null for that one.
    `user_metrics` has the values of the sweep's own metrics, which follow from its result and its parameters.
    """

    __tablename__ = "trials"
    __table_args__ = (
        Index(None, "sweep_id", "number"),
        Index(None, "sweep_id", "gpu", "workload", "score", "point_index"),
        Index(None, "sweep_id", "score", "gpu", "point_index"),
        Index(None, "sweep_id", "state", "gpu", "point_index"),
        Index(None, "sweep_id", "reason", "gpu", "point_index"),
        Index("ix_trials_mlflow", "sweep_id", sqlite_where=_HAS_RUN, postgresql_where=_HAS_RUN),
    )

    sweep_id: Mapped[int] = mapped_column(ForeignKey("sweeps.id", ondelete="CASCADE"), primary_key=True)
    gpu: Mapped[str] = mapped_column(ordered_name(64), primary_key=True)
    point_index: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    number: Mapped[int] = mapped_column(Integer)
    parameters: Mapped[dict[str, Any]] = mapped_column(JSON)
    point_hash: Mapped[str] = mapped_column(ForeignKey("results.point_hash"), index=True)
    source: Mapped[str] = mapped_column(String(8))
    mlflow_run_id: Mapped[str | None] = mapped_column(String(32))
    mlflow_logged: Mapped[bool] = mapped_column(default=False)
    state: Mapped[str] = mapped_column(String(16), server_default="")
    reason: Mapped[str | None] = mapped_column(String(64))
    workload: Mapped[str] = mapped_column(Text, server_default="[]")
    score: Mapped[float | None] = mapped_column(Float)
    same_code_as: Mapped[int | None] = mapped_column(Integer)
    user_metrics: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))


class TrialCount(Base):
    """Counters of a sweep's trials, updated by the transactions that record them. `reason` may be empty."""

    __tablename__ = "trial_counts"

    sweep_id: Mapped[int] = mapped_column(ForeignKey("sweeps.id", ondelete="CASCADE"), primary_key=True)
    state: Mapped[str] = mapped_column(String(16), primary_key=True)
    reason: Mapped[str] = mapped_column(String(64), primary_key=True)
    source: Mapped[str] = mapped_column(String(8), primary_key=True)
    trials: Mapped[int] = mapped_column(Integer)


class TrialColumn(Base):
    """A part of a column of a large sweep: a value for each of its trials from the number `first` on.

    It repeats `trials` and `results`, so that ordering and comparing a million trials reads a few megabytes. Each part
    has the same `trials` in every column; `content` is an Arrow stream.
    """

    __tablename__ = "trial_columns"

    sweep_id: Mapped[int] = mapped_column(ForeignKey("sweeps.id", ondelete="CASCADE"), primary_key=True)
    name: Mapped[str] = mapped_column(String(250), primary_key=True)
    first: Mapped[int] = mapped_column(Integer, primary_key=True)
    trials: Mapped[int] = mapped_column(Integer)
    content: Mapped[bytes] = mapped_column(LargeBinary)


class Token(Base):
    """Access tokens; only the digest of the secret is stored."""

    __tablename__ = "tokens"

    id: Mapped[int] = mapped_column(Integer, primary_key=True)
    name: Mapped[str] = mapped_column(String(100), unique=True, index=True)
    digest: Mapped[str] = mapped_column(String(64), unique=True, index=True)
    scopes: Mapped[list[str]] = mapped_column(JSON)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    revoked_at: Mapped[datetime | None] = mapped_column(UtcDateTime)


class Space(Base):
    """An uploaded space; its digest covers its name and all of its files."""

    __tablename__ = "spaces"

    digest: Mapped[str] = mapped_column(String(64), primary_key=True)
    name: Mapped[str] = mapped_column(String(200), index=True)
    yaml: Mapped[str] = mapped_column(Text)
    source: Mapped[str] = mapped_column(Text)
    source_file: Mapped[str] = mapped_column(String(255))
    headers: Mapped[dict[str, str]] = mapped_column(JSON)
    files: Mapped[dict[str, str]] = mapped_column(JSON, server_default="{}")
    outline: Mapped[dict[str, Any]] = mapped_column(JSON, server_default="{}")
    created_at: Mapped[datetime] = mapped_column(UtcDateTime, index=True)
    owner: Mapped[str | None] = mapped_column(String(100))


class GpuProfile(Base):
    """An uploaded profile of a GPU."""

    __tablename__ = "gpu_profiles"

    name: Mapped[str] = mapped_column(String(100), primary_key=True)
    yaml: Mapped[str] = mapped_column(Text)
    words: Mapped[str] = mapped_column(String(100))
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    owner: Mapped[str | None] = mapped_column(String(100))


class DeletedSweep(Base):
    """A deleted sweep, kept as long as MLflow may have runs of it."""

    __tablename__ = "deleted_sweeps"

    id: Mapped[int] = mapped_column(Integer, primary_key=True)
    name: Mapped[str] = mapped_column(String(200))
    key: Mapped[str] = mapped_column(String(100))
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)


#: The metric columns of `results`, in table order.
METRIC_COLUMNS = tuple(
    column.name
    for column in Result.__table__.columns
    if column.nullable and column.name not in {"reason", "message", "simulation"}
)
#: The Python type of each.
METRIC_TYPES = {name: Result.__table__.c[name].type.python_type for name in METRIC_COLUMNS}
