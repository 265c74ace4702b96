"""Columns of large sweeps say which trials share their simulation; those without are made again when needed."""

from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("DELETE FROM trial_columns")
