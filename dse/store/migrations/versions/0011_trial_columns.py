"""Large sweeps as columns, which order trials by any metric, in place of an index of five metrics over all results."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

INDEXED = ("time_us", "cycles", "ipc", "achieved_occupancy", "registers_per_thread")


def upgrade() -> None:
    op.create_table(
        "trial_columns",
        sa.Column("sweep_id", sa.Integer, nullable=False),
        sa.Column("name", sa.String(250), nullable=False),
        sa.Column("first", sa.Integer, nullable=False),
        sa.Column("trials", sa.Integer, nullable=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
        sa.ForeignKeyConstraint(
            ["sweep_id"], ["sweeps.id"], name="fk_trial_columns_sweep_id_sweeps", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("sweep_id", "name", "first", name="pk_trial_columns"),
    )
    for name in INDEXED:
        op.drop_index(op.f(f"ix_results_{name}"), "results")
