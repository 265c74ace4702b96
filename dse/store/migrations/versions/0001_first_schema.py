"""Sweeps, results and trials, and two views for SQL users."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

FLOATS = ("issue_active", "theoretical_occupancy", "dram_bytes", "l2_bytes")
INDEXED_FLOATS = ("time_us", "cycles", "ipc", "achieved_occupancy")
INTEGERS = ("blocks_per_sm", "shared_bytes_per_block")
INDEXED_INTEGERS = ("registers_per_thread", "local_bytes_per_thread")
NAMES = ("regime", "bottleneck")
STALLS = (
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

METRICS = (
    "warp_instructions",
    *INDEXED_FLOATS,
    *FLOATS,
    *INTEGERS,
    *INDEXED_INTEGERS,
    *NAMES,
    *(f"stall_{reason}" for reason in STALLS),
)

TRIALS_WIDE = f"""
CREATE VIEW trials_wide AS
SELECT sweeps.id AS sweep_id, sweeps.name AS kernel, trials.gpu, trials.point_index, trials.number,
       trials.parameters, trials.source, trials.point_hash, results.state, results.reason, results.message,
       {", ".join(f"results.{name}" for name in METRICS)}
FROM trials
JOIN sweeps ON sweeps.id = trials.sweep_id
JOIN results ON results.point_hash = trials.point_hash
"""

BEST_PER_GPU = """
CREATE VIEW best_per_gpu AS
SELECT * FROM (
    SELECT trials_wide.*,
           row_number() OVER (PARTITION BY sweep_id, gpu ORDER BY time_us, point_index) AS place
    FROM trials_wide
    WHERE state = 'complete' AND time_us IS NOT NULL
) AS ranked
WHERE place = 1
"""


def upgrade() -> None:
    op.create_table(
        "sweeps",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("name", sa.String(200), nullable=False, index=True),
        sa.Column("state", sa.String(16), nullable=False, index=True),
        sa.Column("sampler", sa.String(40), nullable=False),
        sa.Column("seed", sa.Integer, nullable=False),
        sa.Column("trials", sa.Integer),
        sa.Column("timeout_s", sa.Float),
        sa.Column("planned", sa.Integer, nullable=False),
        sa.Column("spec", sa.JSON, nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False, index=True),
        sa.Column("finished_at", sa.DateTime(timezone=True)),
        sa.Column("mlflow_run_id", sa.String(32)),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_table(
        "results",
        sa.Column("point_hash", sa.String(64), nullable=False),
        sa.Column("state", sa.String(16), nullable=False, index=True),
        sa.Column("reason", sa.String(64), index=True),
        sa.Column("message", sa.Text),
        sa.Column("warp_instructions", sa.BigInteger),
        *(sa.Column(name, sa.Float, index=True) for name in INDEXED_FLOATS),
        *(sa.Column(name, sa.Float) for name in FLOATS),
        *(sa.Column(name, sa.Integer) for name in INTEGERS),
        *(sa.Column(name, sa.Integer, index=True) for name in INDEXED_INTEGERS),
        *(sa.Column(name, sa.String(32), index=True) for name in NAMES),
        *(sa.Column(f"stall_{reason}", sa.Float) for reason in STALLS),
        sa.Column("extra", sa.JSON, nullable=False),
        sa.Column("compile_s", sa.Float, nullable=False),
        sa.Column("simulate_s", sa.Float, nullable=False),
        sa.Column("simulator_version", sa.String(32), nullable=False),
        sa.Column("compiler_version", sa.String(32), nullable=False),
        sa.PrimaryKeyConstraint("point_hash"),
    )
    op.create_table(
        "trials",
        sa.Column("sweep_id", sa.Integer, sa.ForeignKey("sweeps.id", ondelete="CASCADE"), nullable=False),
        sa.Column("gpu", sa.String(64), nullable=False),
        sa.Column("point_index", sa.BigInteger, nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("parameters", sa.JSON, nullable=False),
        sa.Column(
            "point_hash", sa.String(64), sa.ForeignKey("results.point_hash"), nullable=False, index=True
        ),
        sa.Column("source", sa.String(8), nullable=False),
        sa.Column("mlflow_run_id", sa.String(32)),
        sa.Column("mlflow_logged", sa.Boolean, nullable=False),
        sa.PrimaryKeyConstraint("sweep_id", "gpu", "point_index"),
    )
    op.create_index(op.f("ix_trials_sweep_id_number"), "trials", ["sweep_id", "number"])
    op.execute(TRIALS_WIDE)
    op.execute(BEST_PER_GPU)


def downgrade() -> None:
    op.execute("DROP VIEW best_per_gpu")
    op.execute("DROP VIEW trials_wide")
    for table in ("trials", "results", "sweeps"):
        op.drop_table(table)
