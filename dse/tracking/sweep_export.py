"""One export of one sweep to MLflow: its parent run, the child runs of its trials, its files."""

import hashlib
import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC
from functools import cached_property, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from dse.store import Store, SweepCounts, SweepRecord
from dse.store.parts.outbox import Child, DeletedSweepRecord, Entry

if TYPE_CHECKING:
    from dse.answers.best import Best
    from dse.tracking.baselines import Baselines
    from dse.tracking.runs import FoundRun, Runs

#: Child runs per batch.
BATCH = 50
QUESTION_DIGITS = 16
#: The tag of a sweep's run with the digest of the request that its other tags and files are of.
QUESTION = "dse.question"

_STATUS = {
    "queued": "SCHEDULED",
    "running": "RUNNING",
    "stopped": "KILLED",
    "finished": "FINISHED",
    "failed": "FAILED",
}


@dataclass(frozen=True)
class SweepExport:
    """One export of one sweep by the holder of the lock.

    Attributes:
        confirm_lock: raises if the lock was lost.
    """

    runs: "Runs"
    store: Store
    sweep: SweepRecord
    most_children: int
    confirm_lock: Callable[[], None]

    def write(self, compare: bool) -> int:
        """Export what is missing; returns the number of child runs written."""
        sweep, outbox = self.sweep, self.store.outbox
        counts = self.store.counts(sweep.id)
        parent = self._parent()
        was_cut_off = outbox.is_dirty(sweep.id)
        found_missing = (compare or was_cut_off) and self._reconcile(parent)
        if not self._has_ended or (parent.tags.get("dse.results") == _results(counts) and not found_missing):
            written = self._write_children(parent, counts, best=[])
        else:
            written = self._write_results(parent, counts)
        self._describe(parent, counts)
        self._set_page(parent)
        if was_cut_off:  # a request that timed out may have been executed
            self._reconcile(parent)
        outbox.end(sweep.id, sweep.finished_at if self._has_ended else None)
        return written

    def delete(self) -> None:
        """Delete every run of the sweep."""
        delete_runs(self.runs, self.sweep)
        self.store.outbox.forget(self.sweep.id)

    @cached_property
    def _baselines(self) -> "Baselines":
        from dse.tracking.baselines import Baselines

        return Baselines(self.store, self.sweep)

    @property
    def _has_ended(self) -> bool:
        return self.sweep.finished_at is not None

    # The parent

    def _parent(self) -> "FoundRun":
        """The sweep's own run: the existing one, even if a crash left its id unstored, or a new one."""
        sweep, outbox = self.sweep, self.store.outbox
        experiment_id = self.runs.experiment(sweep.name)
        known = outbox.parent(sweep.id)
        runs = list(self.runs.find(experiment_id, _identity(sweep)))
        runs.sort(key=lambda run: (run.run_id != known, run.start_ms))
        for surplus in runs[1:]:
            _delete_with_children(self.runs, surplus)
        parent = runs[0] if runs else self._new_parent(experiment_id)
        if parent.run_id != known:
            outbox.forget(sweep.id)
            outbox.set_parent(sweep.id, parent.run_id)
            outbox.begin(sweep.id)  # the run may have children that are unknown to the store
        return parent

    def _new_parent(self, experiment_id: str) -> "FoundRun":
        from dse.tracking.children import milliseconds, space_tag

        sweep = self.sweep
        tags = {
            "dse.kernel": sweep.name,
            "dse.space": space_tag(sweep),
            "dse.state": sweep.state,
        }
        name = f"{sweep.name} sweep {sweep.key}"
        start_ms = milliseconds(sweep.created_at)
        return self.runs.begin(experiment_id, name, start_ms, _identity(sweep) | tags)

    def _describe(self, parent: "FoundRun", counts: SweepCounts) -> None:
        """Update changed metrics, tags and status of the parent."""
        from dse.tracking.children import best_name

        sweep, run_id = self.sweep, parent.run_id
        if parent.tags.get(QUESTION) != _question(sweep):
            self._log_question(run_id)
        metrics = {"trials/complete": float(counts.complete), "trials/failed": float(counts.failed)}
        _, objective = sweep.spec.objectives[0]
        for trial in self.store.winners(sweep.id):
            metrics[best_name(sweep, trial)] = trial.metrics[objective]
        changed = {name: value for name, value in metrics.items() if parent.metrics.get(name) != value}
        self.runs.log_metrics(run_id, changed, step=counts.done)
        if parent.tags.get("dse.state") != sweep.state:
            self.runs.set_tag(run_id, "dse.state", sweep.state)
        if parent.status != _STATUS[sweep.state]:
            self.runs.set_status(run_id, _STATUS[sweep.state], sweep.finished_at)

    def _log_question(self, run_id: str) -> None:
        """Write the files of the request and its tags, the last of which marks them as complete."""
        from dse.tracking.question import add_question

        with TemporaryDirectory(prefix="dse-question-") as folder:
            add_question(Path(folder), self.sweep)
            self.runs.log_files(run_id, Path(folder))
        spec = self.sweep.spec
        tags = {"dse.gpus": spec.described_gpus, "dse.sampler": spec.sampler, "dse.seed": str(spec.seed)}
        for key, value in {**tags, QUESTION: _question(self.sweep)}.items():
            self.runs.set_tag(run_id, key, value)

    def _write_results(self, parent: "FoundRun", counts: SweepCounts) -> int:
        """Write the children and the files of an ended sweep, then the tag that marks them as complete."""
        from dse.tracking.children import NOTE
        from dse.tracking.choice import best_room
        from dse.tracking.description import describe_sweep
        from dse.tracking.files import add_views, result_table
        from dse.tracking.question import add_question

        with result_table(self.store, self.sweep) as (folder, table):
            winners = [trial.entry for trial in self.store.winners(self.sweep.id)]
            room = best_room(self.sweep.spec, self.most_children)
            best = list(dict.fromkeys([*winners[:room], *table.front(max(room - len(winners), 0))]))
            written = self._write_children(parent, counts, best)
            add_question(folder, self.sweep)
            add_views(folder, self.store, self.sweep, table)
            self.runs.log_files(parent.run_id, folder)
        self.runs.set_tag(parent.run_id, NOTE, describe_sweep(self.sweep.spec, self._answers()))
        self.runs.set_tag(parent.run_id, "dse.results", _results(counts))
        return written

    def _answers(self) -> "list[Best]":
        """The answer of the sweep: the best of each GPU and workload, with its ties."""
        from dse.answers.best import find_best
        from dse.answers.cases import cases_of

        sweep, store = self.sweep, self.store
        cases = cases_of(sweep.spec, store.variants(sweep.id))
        return find_best(sweep.spec, cases, partial(store.trials_at, sweep.id))

    def _set_page(self, parent: "FoundRun") -> None:
        """Save the views of the sweep, if this MLflow reads them, and store the address of its runs."""
        from dse.tracking import views

        sweep, experiment_id, run_id = self.sweep, parent.experiment_id, parent.run_id
        has_views = views.are_known(self.runs.version())
        page = views.page(sweep, experiment_id, run_id, has_views)
        if page == sweep.mlflow_page and parent.tags.get(QUESTION) == _question(sweep):
            return
        for key, value in views.saved_views(sweep, run_id).items() if has_views else ():
            self.runs.set_experiment_tag(experiment_id, key, value)
        self.store.outbox.set_page(sweep.id, page)

    # The children

    def _write_children(self, parent: "FoundRun", counts: SweepCounts, best: list[Entry]) -> int:
        """Export the chosen trials that have no child run yet; returns their number."""
        total = max(self.sweep.spec.total, counts.done)
        if total <= self.most_children:
            chosen = self.store.outbox.pending(self.sweep.id, self.most_children)
        else:
            chosen = self._choose(parent, total, best)
        if chosen:
            self.store.outbox.begin(self.sweep.id)
        batches = (chosen[start : start + BATCH] for start in range(0, len(chosen), BATCH))
        return sum(self._write_batch(parent, batch) for batch in batches)

    def _choose(self, parent: "FoundRun", total: int, best: list[Entry]) -> list[Entry]:
        """The chosen trials of a large sweep; deletes surplus runs."""
        from dse.tracking.choice import best_room, spread

        outbox = self.store.outbox
        numbers = spread(total, self.most_children - best_room(self.sweep.spec, self.most_children))
        shown = outbox.children(self.sweep.id)
        evenly = outbox.pending_numbers(self.sweep.id, numbers)
        missing = [entry for entry in best if entry not in shown or not shown[entry].logged]
        chosen = list(dict.fromkeys([*evenly, *missing]))
        excess = len({*shown, *chosen}) - self.most_children
        if excess > 0:
            surplus = [entry for entry in shown if entry[1] not in numbers and entry not in best]
            self._drop({entry: shown[entry] for entry in surplus[:excess]})
        return chosen

    def _drop(self, children: dict[Entry, Child]) -> None:
        self.store.outbox.begin(self.sweep.id)
        self.runs.delete([child.run_id for child in children.values()])
        self.store.outbox.set_children(self.sweep.id, dict.fromkeys(children), logged=False)

    def _write_batch(self, parent: "FoundRun", entries: Sequence[Entry]) -> int:
        """Write the runs of some trials; while the sweep runs, a complete one waits for its baseline."""
        from dse.tracking.children import child_run

        self.confirm_lock()
        outbox, sweep, baselines = self.store.outbox, self.sweep, self._baselines
        trials = {
            trial.entry: trial
            for trial in self.store.trials_at(sweep.id, outbox.recorded(sweep.id, entries).values())
            if self._has_ended or not baselines.is_missing(trial)
        }
        children = {
            entry: child_run(sweep, parent.run_id, trial, baselines.of(trial))
            for entry, trial in trials.items()
        }
        runs = {entry: trial.mlflow_run_id for entry, trial in trials.items() if trial.mlflow_run_id}
        new = [entry for entry in children if entry not in runs]
        ids = self.runs.create(parent.experiment_id, [children[entry] for entry in new])
        runs |= zip(new, ids, strict=True)
        outbox.set_children(sweep.id, runs, logged=False)
        self.runs.finish({runs[entry]: child for entry, child in children.items()})
        outbox.set_children(sweep.id, runs, logged=True)
        return len(children)

    def _reconcile(self, parent: "FoundRun") -> bool:
        """Synchronise the marks with MLflow, with one run per trial; returns whether a run was missing."""
        outbox, sweep_id = self.store.outbox, self.sweep.id
        marked = outbox.children(sweep_id)
        found: dict[Entry, list[FoundRun]] = defaultdict(list)
        for run in _children(self.runs, parent):
            if run.tags.get("dse.number", "").isdecimal():
                found[run.tags["dse.gpu"], int(run.tags["dse.number"])].append(run)
        ours = {*marked, *outbox.recorded(sweep_id, found.keys() - marked.keys())}
        adopted: dict[bool, dict[Entry, str | None]] = {False: {}, True: {}}
        surplus: list[str] = []
        for entry, runs in found.items():
            known = marked[entry].run_id if entry in marked else None
            runs.sort(key=lambda run: (run.run_id != known, run.status == "RUNNING"))
            kept = runs[:1] if entry in ours else []
            surplus += [run.run_id for run in runs if run not in kept]
            for run in kept:
                adopted[run.status != "RUNNING"][entry] = run.run_id
        missing: dict[Entry, str | None] = dict.fromkeys(marked.keys() - found.keys())
        self.runs.delete(surplus)
        outbox.set_children(sweep_id, missing, logged=False)
        for logged, runs_of in adopted.items():
            changed = {
                entry: run_id
                for entry, run_id in runs_of.items()
                if entry not in marked or (marked[entry].run_id, marked[entry].logged) != (run_id, logged)
            }
            outbox.set_children(sweep_id, changed, logged)
        return bool(missing)


def _identity(sweep: SweepRecord | DeletedSweepRecord) -> dict[str, str]:
    """Tags that identify a sweep among all others, including those of other stores."""
    return {"dse.sweep": sweep.key, "dse.created_at": sweep.created_at.astimezone(UTC).isoformat()}


def _children(runs: "Runs", parent: "FoundRun") -> "Iterator[FoundRun]":
    """The existing child runs."""
    return runs.find(parent.experiment_id, {"mlflow.parentRunId": parent.run_id})


def delete_runs(runs: "Runs", sweep: SweepRecord | DeletedSweepRecord) -> None:
    """Delete every run of a sweep."""
    experiment_id = runs.known_experiment(sweep.name)
    if experiment_id is not None:
        for parent in list(runs.find(experiment_id, _identity(sweep))):
            _delete_with_children(runs, parent)


def _delete_with_children(runs: "Runs", parent: "FoundRun") -> None:
    from dse.tracking.views import tags_of

    runs.delete([child.run_id for child in _children(runs, parent)])
    runs.delete([parent.run_id])
    for key in tags_of(parent.run_id):
        runs.delete_experiment_tag(parent.experiment_id, key)


def _question(sweep: SweepRecord) -> str:
    """A digest of everything that determines the trials and their meaning, except their number."""
    spec = sweep.spec
    texts = [spec.space_yaml, spec.source, spec.headers, *([spec.files] if spec.files else [])]
    asked = [
        *texts,
        [*map(spec.machine, spec.gpus)],
        spec.parameters,
        spec.objectives,
        spec.sampler,
        spec.seed,
    ]
    return hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()[:QUESTION_DIGITS]


def _results(counts: SweepCounts) -> str:
    return f"{counts.complete} complete, {counts.failed} failed"
