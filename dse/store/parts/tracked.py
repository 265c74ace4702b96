"""What `dse.tracking` has written to MLflow."""

from functools import cached_property

from dse.store.database.connection import Database
from dse.store.parts.outbox import Outbox


class TrackedStore(Database):
    """The part of the store that remembers MLflow's runs."""

    @cached_property
    def outbox(self) -> Outbox:
        """The marks on sweeps and trials that tell what has still to be written to MLflow."""
        return Outbox(self._engine)
