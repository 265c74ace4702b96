"""A table for uploaded profiles of GPUs."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "gpu_profiles",
        sa.Column("name", sa.String(100), primary_key=True),
        sa.Column("yaml", sa.Text, nullable=False),
        sa.Column("words", sa.String(100), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("owner", sa.String(100)),
    )
