"""The outbox for MLflow: interrupted exports, completely exported sweeps, trials with a run."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("sweeps", sa.Column("mlflow_dirty", sa.Boolean, nullable=False, server_default=sa.false()))
    op.add_column("sweeps", sa.Column("mlflow_finished_at", sa.DateTime(timezone=True)))
    op.execute("UPDATE sweeps SET mlflow_finished_at = finished_at WHERE mlflow_run_id IS NOT NULL")
    has_run = sa.text("mlflow_run_id IS NOT NULL")
    op.create_index(
        "ix_trials_mlflow", "trials", ["sweep_id"], sqlite_where=has_run, postgresql_where=has_run
    )
