"""A column for the size of a kernel's machine code."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("results", sa.Column("code_bytes", sa.Integer))
