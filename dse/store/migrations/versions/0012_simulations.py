"""What each result was simulated from, and which trials share it, in the views for plain SQL too."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

STALLS = (
    *("selected", "not_selected", "wait", "long_scoreboard", "short_scoreboard", "math_pipe_throttle"),
    *("mio_throttle", "lg_throttle", "tex_throttle", "dispatch_stall", "no_instruction", "imc_miss"),
    *("branch_resolving", "barrier", "membar", "drain", "sleeping", "misc", "gmma"),
)
METRICS = (
    *("time_us", "cycles", "warp_instructions", "ipc", "issue_active", "achieved_occupancy"),
    *("theoretical_occupancy", "blocks_per_sm", "registers_per_thread", "code_bytes"),
    *("local_bytes_per_thread", "shared_bytes_per_block", "dram_bytes", "l2_bytes", "regime", "bottleneck"),
    *(f"stall_{reason}" for reason in STALLS),
)

TRIALS_WIDE = f"""
CREATE VIEW trials_wide AS
SELECT sweeps.id AS sweep_id, sweeps.key, sweeps.name AS kernel, trials.gpu, trials.point_index, trials.number,
       trials.parameters, trials.workload, trials.source, trials.point_hash, trials.state, trials.reason,
       results.message, trials.same_code_as, trials.score, {", ".join(f"results.{name}" for name in METRICS)},
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


def upgrade() -> None:
    op.execute("DROP VIEW best_per_gpu")
    op.execute("DROP VIEW trials_wide")
    op.add_column("results", sa.Column("simulation", sa.String(32)))
    op.create_index(op.f("ix_results_simulation"), "results", ["simulation"])
    op.add_column("trials", sa.Column("same_code_as", sa.Integer))
    op.execute(TRIALS_WIDE)
    op.execute(BEST_PER_GPU)
