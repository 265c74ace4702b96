"""The baselines of a sweep's trials: what their speedups are relative to."""

from functools import cached_property

from dse.requests.specs import baseline_index, restore_space
from dse.store import Store, SweepRecord, TrialRecord
from dse.store.records import Place, workload_key
from search_spaces import Space, SpaceError


class Baselines:
    """The baseline of each GPU and workload of a sweep, read from the store when it is first asked for."""

    def __init__(self, store: Store, sweep: SweepRecord) -> None:
        self._store = store
        self._sweep = sweep
        self._indices: dict[str, int] = {}
        self._recorded: dict[Place, TrialRecord] = {}

    def of(self, trial: TrialRecord) -> TrialRecord | None:
        """The baseline of a trial; None if it is not recorded, or nobody knows which it is."""
        index = self._index(trial)
        if index is None:
            return None
        place = (trial.gpu, index)
        if place not in self._recorded:
            found = self._store.trials_at(self._sweep.id, [place])
            self._recorded.update({baseline.place: baseline for baseline in found})
        return self._recorded.get(place)

    def is_missing(self, trial: TrialRecord) -> bool:
        """Whether the baseline of a complete trial is known, but not recorded."""
        return trial.state == "complete" and self._index(trial) is not None and self.of(trial) is None

    def _index(self, trial: TrialRecord) -> int | None:
        if self._space is None:
            return None
        workload = workload_key(self._sweep.spec.workload, trial.parameters)
        if workload not in self._indices:
            self._indices[workload] = baseline_index(self._space, trial.parameters)
        return self._indices[workload]

    @cached_property
    def _space(self) -> Space | None:
        """The sweep's space; None if it was written for another version, which does not keep its runs back."""
        try:
            return restore_space(self._sweep.spec)
        except SpaceError:
            return None
