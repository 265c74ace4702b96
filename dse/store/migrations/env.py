"""Alembic's entry point: migrates the connection passed by `dse.store.database.engine.migrate`."""

from alembic import context

from dse.store.schema.models import Base

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Base.metadata,
    render_as_batch=True,
)
context.run_migrations()
