"""A column for the values of metrics of the user's own."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("trials", sa.Column("user_metrics", sa.JSON))
