"""The record of exports to MLflow by `dse.tracking`."""

from functools import cached_property

from dse.store.database.connection import Database
from dse.store.parts.outbox import Outbox


class TrackedStore(Database):
    """The part of the store for runs in MLflow."""

    @cached_property
    def outbox(self) -> Outbox:
        """The outbox: marks on sweeps and trials that have been exported to MLflow."""
        return Outbox(self._engine)
