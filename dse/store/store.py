"""The store: one class for one database, composed of a part for each concern.

Reads and writes are batched Core statements on the tables; only the records of `dse.store.records` leave this
package, never database objects.
"""

from dse.store.parts.gpus import GpuStore
from dse.store.parts.recording import RecordingStore
from dse.store.parts.spaces import SpaceStore
from dse.store.parts.tokens import TokenStore
from dse.store.parts.tracked import TrackedStore
from dse.store.parts.trials import TrialStore


class Store(RecordingStore, TrialStore, TrackedStore, TokenStore, SpaceStore, GpuStore):
    """Sweeps, trials and results, tokens, spaces and profiles of GPUs in a database.

    Thread-safe; many processes may open the same database. Sweeps are looked up by
    key; everything else refers to them by number, `SweepRecord.id`.

    Attributes:
        url: the database's URL, without a password.
    """
