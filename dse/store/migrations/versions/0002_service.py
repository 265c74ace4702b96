"""Support for the service: keys, queued sweeps, tokens, uploaded spaces; fast counting and ranking of trials."""

import json
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

METRICS = (
    "time_us",
    "cycles",
    "warp_instructions",
    "ipc",
    "issue_active",
    "achieved_occupancy",
    "theoretical_occupancy",
    "blocks_per_sm",
    "registers_per_thread",
    "local_bytes_per_thread",
    "shared_bytes_per_block",
    "dram_bytes",
    "l2_bytes",
    "regime",
    "bottleneck",
    "stall_selected",
    "stall_not_selected",
    "stall_wait",
    "stall_long_scoreboard",
    "stall_short_scoreboard",
    "stall_math_pipe_throttle",
    "stall_mio_throttle",
    "stall_lg_throttle",
    "stall_tex_throttle",
    "stall_dispatch_stall",
    "stall_no_instruction",
    "stall_imc_miss",
    "stall_branch_resolving",
    "stall_barrier",
    "stall_membar",
    "stall_drain",
    "stall_sleeping",
    "stall_misc",
    "stall_gmma",
)

TRIALS_WIDE = f"""
CREATE VIEW trials_wide AS
SELECT sweeps.id AS sweep_id, sweeps.key, sweeps.name AS kernel, trials.gpu, trials.point_index, trials.number,
       trials.parameters, trials.workload, trials.source, trials.point_hash, trials.state, trials.reason,
       results.message, trials.score, {", ".join(f"results.{name}" for name in METRICS)},
       results.compile_s, results.simulate_s
FROM trials
JOIN sweeps ON sweeps.id = trials.sweep_id
JOIN results ON results.point_hash = trials.point_hash
"""

BEST_PER_GPU = """
CREATE VIEW best_per_gpu AS
SELECT trials_wide.*
FROM (
    SELECT sweep_id, gpu, point_index,
           row_number() OVER (PARTITION BY sweep_id, gpu ORDER BY score, point_index) AS place
    FROM trials
    WHERE score IS NOT NULL
) AS ranked
JOIN trials_wide
  ON trials_wide.sweep_id = ranked.sweep_id
 AND trials_wide.gpu = ranked.gpu
 AND trials_wide.point_index = ranked.point_index
WHERE ranked.place = 1
"""

TRIAL_INDEXES = (
    ("sweep_id", "gpu", "workload", "score", "point_index"),
    ("sweep_id", "score", "gpu", "point_index"),
    ("sweep_id", "state", "gpu", "point_index"),
    ("sweep_id", "reason", "gpu", "point_index"),
)
#: Indexes with few distinct values: they slowed down writes, and the indexes above serve the same queries faster.
DROPPED_RESULT_INDEXES = ("state", "reason", "local_bytes_per_thread", "regime", "bottleneck")


def upgrade() -> None:
    op.execute("DROP VIEW best_per_gpu")
    op.execute("DROP VIEW trials_wide")
    _make_tables()
    _give_sweeps_keys()
    _give_trials_results()
    for name in DROPPED_RESULT_INDEXES:
        op.drop_index(op.f(f"ix_results_{name}"), "results")
    op.execute(TRIALS_WIDE)
    op.execute(BEST_PER_GPU)


def _make_tables() -> None:
    op.create_table(
        "trial_counts",
        sa.Column("sweep_id", sa.Integer, sa.ForeignKey("sweeps.id", ondelete="CASCADE"), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("reason", sa.String(64), nullable=False),
        sa.Column("source", sa.String(8), nullable=False),
        sa.Column("trials", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("sweep_id", "state", "reason", "source"),
    )
    op.create_table(
        "tokens",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("name", sa.String(100), nullable=False, unique=True, index=True),
        sa.Column("digest", sa.String(64), nullable=False, unique=True, index=True),
        sa.Column("scopes", sa.JSON, nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("revoked_at", sa.DateTime(timezone=True)),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_table(
        "spaces",
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("name", sa.String(200), nullable=False, index=True),
        sa.Column("yaml", sa.Text, nullable=False),
        sa.Column("source", sa.Text, nullable=False),
        sa.Column("source_file", sa.String(255), nullable=False),
        sa.Column("headers", sa.JSON, nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False, index=True),
        sa.Column("owner", sa.String(100)),
        sa.PrimaryKeyConstraint("digest"),
    )


def _give_sweeps_keys() -> None:
    """Columns added to non-empty SQLite tables need a default, so `key` has a temporary one."""
    for column in (
        sa.Column("key", sa.String(100), nullable=False, server_default=""),
        sa.Column("question", sa.String(64)),
        sa.Column("managed", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Column("priority", sa.Integer, nullable=False, server_default="0"),
        sa.Column("stop_requested", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Column("owner", sa.String(100)),
        sa.Column("revision", sa.Integer, nullable=False, server_default="0"),
        sa.Column("error", sa.Text),
    ):
        op.add_column("sweeps", column)
    op.execute("UPDATE sweeps SET key = CAST(id AS VARCHAR(100))")
    op.create_index(op.f("ix_sweeps_key"), "sweeps", ["key"], unique=True)


def _give_trials_results() -> None:
    for column in (
        sa.Column("state", sa.String(16), nullable=False, server_default=""),
        sa.Column("reason", sa.String(64)),
        sa.Column("workload", sa.Text, nullable=False, server_default="[]"),
        sa.Column("score", sa.Float),
    ):
        op.add_column("trials", column)
    if op.get_bind().dialect.name == "postgresql":
        op.execute('ALTER TABLE trials ALTER COLUMN gpu TYPE VARCHAR(64) COLLATE "C"')
    for sweep_id, spec in op.get_bind().execute(sa.text("SELECT id, spec FROM sweeps")).all():
        stored = json.loads(spec) if isinstance(spec, str) else spec
        _copy_results(sweep_id, *stored["objectives"][0])
        if stored.get("workload"):
            _name_workloads(sweep_id, stored["workload"])
    op.execute(
        "INSERT INTO trial_counts (sweep_id, state, reason, source, trials) "
        "SELECT sweep_id, state, coalesce(reason, ''), source, count(*) FROM trials "
        "GROUP BY sweep_id, state, coalesce(reason, ''), source"
    )
    for columns in TRIAL_INDEXES:
        op.create_index(op.f(f"ix_trials_{'_'.join(columns)}"), "trials", list(columns))


def _copy_results(sweep_id: int, direction: str, objective: str) -> None:
    sign = "-" if direction == "maximize" else ""
    value = f"{sign}results.{objective}" if objective in METRICS else "NULL"
    score = f"CASE WHEN results.state = 'complete' THEN {value} END"
    op.execute(
        f"UPDATE trials SET state = results.state, reason = results.reason, score = {score} FROM results "
        f"WHERE results.point_hash = trials.point_hash AND trials.sweep_id = {sweep_id:d}"
    )


def _name_workloads(sweep_id: int, names: list[str]) -> None:
    trials = sa.table("trials", *(sa.column(name) for name in ("sweep_id", "gpu", "point_index", "workload")))
    at_place = sa.and_(
        trials.c.sweep_id == sweep_id,
        trials.c.gpu == sa.bindparam("of_gpu"),
        trials.c.point_index == sa.bindparam("of_point"),
    )
    rows = op.get_bind().execute(
        sa.text("SELECT gpu, point_index, parameters FROM trials WHERE sweep_id = :sweep"),
        {"sweep": sweep_id},
    )
    named: list[dict[str, Any]] = []
    for gpu, index, parameters in rows.all():
        point = json.loads(parameters) if isinstance(parameters, str) else parameters
        workload = json.dumps([point[name] for name in names])
        named.append({"of_gpu": gpu, "of_point": index, "to": workload})
    if named:
        op.get_bind().execute(trials.update().where(at_place).values(workload=sa.bindparam("to")), named)
