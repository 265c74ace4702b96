"""The truth about every sweep: one class over one database, put together from a part for each concern.

Reads and writes are plain statements on the models' tables, a batch at a time; nothing that the database owns
leaves this package, only the records of `dse.store.records`.
"""

from dse.store.parts.recording import RecordingStore
from dse.store.parts.spaces import SpaceStore
from dse.store.parts.tokens import TokenStore
from dse.store.parts.tracked import TrackedStore
from dse.store.parts.trials import TrialStore


class Store(RecordingStore, TrialStore, TrackedStore, TokenStore, SpaceStore):
    """Sweeps, trials and results, tokens and spaces in a database.

    One store may be used by many threads; many processes may open the same database. A sweep is found by its
    key; all else refers to it by its number, `SweepRecord.id`.

    Attributes:
        url: the database's URL, without a password.
    """
