"""A column for final failures, instead of a list of reasons."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

#: The reasons that were final in earlier versions.
FINAL = (
    "CompileError",
    "CycleLimitExceeded",
    "Deadlock",
    "KernelTrap",
    "LaunchError",
    "MemoryFault",
    "SpaceError",
    "UnsupportedInstruction",
)


def upgrade() -> None:
    op.add_column("results", sa.Column("final", sa.Boolean, nullable=False, server_default=sa.false()))
    results = sa.table("results", sa.column("reason"), sa.column("final"))
    is_final = results.c.reason.in_(FINAL)
    op.get_bind().execute(results.update().where(is_final).values(final=sa.true()))
