"""A column for the files of numbers of uploaded spaces."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("spaces", sa.Column("files", sa.JSON, nullable=False, server_default="{}"))
