"""A sweep that was extended lists the trials that it begins with by number, so that they keep theirs."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

SWEEPS = sa.table("sweeps", sa.column("id"), sa.column("spec", sa.JSON))
TRIALS = sa.table(
    "trials",
    *(sa.column(name) for name in ("sweep_id", "number", "gpu")),
    sa.column("parameters", sa.JSON),
)


def upgrade() -> None:
    connection = op.get_bind()
    for sweep_id, spec in connection.execute(sa.select(SWEEPS.c.id, SWEEPS.c.spec)).all():
        search = spec.get("extra", {}).get("search", {})
        if isinstance(search.get("kept"), dict):
            columns = TRIALS.c.number, TRIALS.c.gpu, TRIALS.c.parameters
            recorded = sa.select(*columns).where(TRIALS.c.sweep_id == sweep_id).order_by(TRIALS.c.number)
            search["kept"] = [list(trial) for trial in connection.execute(recorded)]
            connection.execute(SWEEPS.update().where(SWEEPS.c.id == sweep_id).values(spec=spec))
