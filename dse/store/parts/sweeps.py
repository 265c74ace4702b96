"""The sweeps: create, find, list, control and delete."""

import re
import secrets
import uuid
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import fields
from datetime import UTC, datetime
from itertools import count
from math import prod
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    RowMapping,
    Select,
    delete,
    false,
    func,
    insert,
    literal,
    or_,
    select,
    update,
)

from dse.store.database.connection import Database
from dse.store.database.retrying import retried
from dse.store.errors import KeyRefused, SweepChanged, SweepExists, SweepNotFound
from dse.store.queries import ALL_SWEEPS, SweepQuery
from dse.store.records import ACTIVE, SweepOutline, SweepRecord, SweepSpec, SweepState, shown_state
from dse.store.schema.rows import sweep_record, sweep_row
from dse.store.schema.tables import (
    DELETED_SWEEPS,
    SWEEPS,
    TRIAL_COLUMNS,
    TRIALS,
)

_KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}", re.ASCII)
#: Largest number of a sweep in every database.
_MAX_ID = 2**31 - 1
#: Upper bound of the first revision.
_MAX_REVISION = 2**30


#: The columns of a `SweepOutline`; the database takes the GPUs and the parameters out of the specification.
_OUTLINES = select(
    *(SWEEPS.c.id, SWEEPS.c.key, SWEEPS.c.name, SWEEPS.c.state, SWEEPS.c.stop_requested, SWEEPS.c.error),
    *(
        SWEEPS.c.planned.label("total"),
        SWEEPS.c.spec["gpus"].label("gpus"),
        SWEEPS.c.spec["parameters"].label("parameters"),
        SWEEPS.c.sampler,
        SWEEPS.c.priority,
        SWEEPS.c.owner,
    ),
    *(SWEEPS.c.created_at, SWEEPS.c.finished_at, SWEEPS.c.mlflow_page),
)


class SweepStore(Database):
    """The part of the store for sweeps."""

    def create_sweep(
        self,
        spec: SweepSpec,
        key: str | None = None,
        *,
        managed: bool = False,
        priority: int = 0,
        owner: str | None = None,
        state: SweepState = "running",
    ) -> SweepRecord:
        """Store a new sweep, or return the existing one for the same request.

        Args:
            spec: the specification.
            key: the public id, 1 to 100 letters, digits, dots, dashes and underscores; None means its number.
            managed: whether the coordinator is to run it.
            priority: determines its share of the workers.
            owner: the name of the token that submits it.
            state: `queued` for the coordinator to take up, or `running`.

        Raises:
            KeyRefused: the key is invalid.
            SweepExists: a sweep with a different request has the key.
        """
        row = {
            **sweep_row(spec),
            "question": spec.question,
            "state": state,
            "managed": managed,
            "priority": priority,
            "owner": owner,
            "created_at": datetime.now(UTC),
            "revision": secrets.randbelow(_MAX_REVISION),
        }
        if key is None:
            return self._create_numbered(row, spec)
        if not _KEY.fullmatch(key):
            raise KeyRefused(
                f"invalid id {key!r}: an id has 1 to 100 letters, digits, dots, dashes and "
                "underscores, and starts with a letter or a digit"
            )
        return self._create_named({**row, "key": key}, spec)

    @retried
    def sweep(self, key: str | int) -> SweepRecord:
        """One sweep, by its key (text) or its number.

        Raises:
            SweepNotFound: there is no such sweep.
        """
        with self._engine.connect() as connection:
            row = connection.execute(select(SWEEPS).where(_called(key))).mappings().one_or_none()
        if row is None:
            raise SweepNotFound(key)
        return sweep_record(row)

    @retried
    def sweeps(self, query: SweepQuery = ALL_SWEEPS) -> list[SweepRecord]:
        """Sweeps in the order of their numbers."""
        found = select(SWEEPS).where(*_conditions(query)).limit(query.limit).offset(query.offset or None)
        return self._sweeps(found.order_by(SWEEPS.c.id.desc() if query.newest_first else SWEEPS.c.id))

    @retried
    def sweep_outline(self, key: str) -> SweepOutline:
        """One sweep as in a list, by its key.

        Raises:
            SweepNotFound: there is no such sweep.
        """
        with self._engine.connect() as connection:
            row = connection.execute(_OUTLINES.where(_called(key))).mappings().one_or_none()
        if row is None:
            raise SweepNotFound(key)
        return _outline(row)

    @retried
    def sweep_outlines(self, query: SweepQuery = ALL_SWEEPS) -> list[SweepOutline]:
        """Sweeps in the order of their numbers, without their specifications, which may be large."""
        found = _OUTLINES.where(*_conditions(query)).limit(query.limit).offset(query.offset or None)
        order = SWEEPS.c.id.desc() if query.newest_first else SWEEPS.c.id
        with self._engine.connect() as connection:
            return [_outline(row) for row in connection.execute(found.order_by(order)).mappings()]

    @retried
    def sweep_count(self, query: SweepQuery = ALL_SWEEPS) -> int:
        """Number of sweeps that match, ignoring limit and offset."""
        count = select(func.count()).select_from(SWEEPS).where(*_conditions(query))
        with self._engine.connect() as connection:
            return int(connection.execute(count).scalar_one())

    @retried
    def sweeps_to_coordinate(self) -> list[SweepRecord]:
        """The managed sweeps that have not ended, oldest first."""
        is_open = SWEEPS.c.managed & SWEEPS.c.state.in_(ACTIVE)
        return self._sweeps(select(SWEEPS).where(is_open).order_by(SWEEPS.c.id))

    def _sweeps(self, query: Select[Any]) -> list[SweepRecord]:
        with self._engine.connect() as connection:
            return [sweep_record(row) for row in connection.execute(query).mappings()]

    @retried
    def sweeps_by_state(self) -> dict[SweepState, int]:
        """Number of sweeps in each state that occurs."""
        columns = SWEEPS.c.state, SWEEPS.c.stop_requested
        query = select(*columns, func.count().label("sweeps")).group_by(*columns).order_by(*columns)
        counts: Counter[SweepState] = Counter()
        with self._engine.connect() as connection:
            for row in connection.execute(query):
                counts[shown_state(row.state, row.stop_requested)] += row.sweeps
        return dict(counts)

    @retried
    def change_state(
        self, sweep_id: int, expected: SweepState, state: SweepState, error: str | None = None
    ) -> bool:
        """Move a sweep from one state to another; `error` says why it failed.

        Any state except `queued` and `running` also sets the end time.

        Returns:
            Whether the sweep was in the old state. Also False if it was, but the response of the database was lost.
        """
        of_sweep = (SWEEPS.c.id == sweep_id) & (SWEEPS.c.state == expected)
        with self._writer.begin() as connection:
            changed = connection.execute(update(SWEEPS).where(of_sweep).values(_state_columns(state, error)))
            return bool(changed.rowcount)

    def note_trouble(self, sweep_id: int, trouble: str | None) -> None:
        """Say why a running sweep does not go on at the moment, or that it does."""
        is_running = (SWEEPS.c.id == sweep_id) & (SWEEPS.c.state == "running")
        with self._writer.begin() as connection:
            connection.execute(update(SWEEPS).where(is_running).values(error=trouble))

    def request_stop(self, sweep_id: int) -> None:
        """Request a sweep to be stopped."""
        self._update_sweep(sweep_id, {"stop_requested": True})

    def take(self, sweep_id: int) -> None:
        """Assign a sweep to a process of its own, whichever process ran it before."""
        taken = {"managed": False, **_state_columns("running", None)}
        self._update_sweep(sweep_id, taken)

    def set_priority(self, sweep_id: int, priority: int) -> None:
        """Change a sweep's priority."""
        self._update_sweep(sweep_id, {"priority": priority})

    @retried
    def extend(
        self, asked: SweepRecord, spec: SweepSpec, *, anew: bool, managed: bool, lists: int | None = None
    ) -> None:
        """Replace a sweep's specification, possibly by the same one, and run it again.

        Args:
            asked: the sweep as it was read when the new specification was created.
            spec: the new specification.
            anew: whether it chooses its points by another plan. Its trials keep their numbers and their runs in
                MLflow; their indices become those of the space with more values.
            managed: whether the coordinator is to run it, or the caller's process.
            lists: how many trials the new specification lists, which must be all; None if it lists none.

        Raises:
            SweepChanged: its specification was changed concurrently, or trials were recorded that it does not list.
        """
        unchanged = (SWEEPS.c.revision == asked.revision) & (SWEEPS.c.planned == asked.spec.total)
        values = {"managed": managed, **_state_columns("queued" if managed else "running", None)}
        if anew:
            values |= {**sweep_row(spec), "revision": SWEEPS.c.revision + 1, "mlflow_dirty": True}
        else:
            values |= {"trials": spec.trials, "timeout_s": spec.timeout_s, "planned": spec.total}
        with self._writer.begin() as connection:
            query = update(SWEEPS).where(SWEEPS.c.id == asked.id, unchanged).values(values)
            if not connection.execute(query).rowcount:
                raise SweepChanged(asked.key)
            counted = select(func.count()).where(TRIALS.c.sweep_id == asked.id)
            if lists is not None and connection.scalar(counted) != lists:
                raise SweepChanged(asked.key)
            if dict(spec.parameters) != dict(asked.spec.parameters):
                _index_anew(connection, asked, spec)

    def delete_sweep(self, sweep_id: int) -> None:
        """Delete a sweep and its trials; the results remain known, and the outbox deletes its runs.

        Raises:
            SweepNotFound: there is no such sweep.
        """
        self.sweep(sweep_id)
        self._delete(sweep_id)

    @retried
    def _delete(self, sweep_id: int) -> None:
        of_sweep = SWEEPS.c.id == sweep_id
        remembered = ("name", "key", "created_at")
        rows = select(*(SWEEPS.c[name] for name in remembered)).where(of_sweep)
        with self._writer.begin() as connection:
            connection.execute(insert(DELETED_SWEEPS).from_select(remembered, rows))
            connection.execute(delete(SWEEPS).where(of_sweep))

    @retried
    def _create_named(self, row: Mapping[str, Any], spec: SweepSpec) -> SweepRecord:
        with self._writer.begin() as connection:
            connection.execute(
                self._insert(SWEEPS).values(row).on_conflict_do_nothing(index_elements=["key"])
            )
            found = connection.execute(select(SWEEPS).where(SWEEPS.c.key == row["key"])).mappings().one()
        record = sweep_record(found)
        if spec.question not in (found["question"], record.spec.question):
            raise SweepExists(record.key, _differing(record.spec, spec))
        return record

    def _create_numbered(self, row: Mapping[str, Any], spec: SweepSpec) -> SweepRecord:
        """A sweep with its number as key, with a suffix if that key is taken.

        It is created under a unique key and renamed then, so that both steps are idempotent.
        """
        number = self._create_named({**row, "key": uuid.uuid4().hex}, spec).id
        self._name(number)
        return self.sweep(number)

    @retried
    def _name(self, number: int) -> None:
        names = (str(number) if not suffix else f"{number}-{suffix}" for suffix in count())
        alike = SWEEPS.c.key.startswith(str(number), autoescape=True)
        with self._writer.begin() as connection:
            taken = set(connection.scalars(select(SWEEPS.c.key).where(alike, SWEEPS.c.id != number)))
            self._change(connection, number, {"key": next(name for name in names if name not in taken)})

    @retried
    def _update_sweep(self, sweep_id: int, values: Mapping[str, Any]) -> None:
        with self._writer.begin() as connection:
            self._change(connection, sweep_id, values)

    @staticmethod
    def _change(connection: Connection, sweep_id: int, values: Mapping[str, Any]) -> None:
        changed = connection.execute(update(SWEEPS).where(SWEEPS.c.id == sweep_id).values(values))
        if not changed.rowcount:
            raise SweepNotFound(sweep_id)


def _index_anew(connection: Connection, asked: SweepRecord, spec: SweepSpec) -> None:
    """Give a sweep's trials their indices in the space with more values; those of a parameter keep their places.

    An index is a number in mixed radix, the last parameter fastest. All are negative in between, so that no two trials
    have one index at any time.
    """
    index: ColumnElement[int] = literal(0)
    stride = 1
    for name, values in reversed(list(asked.spec.parameters.items())):
        place = TRIALS.c.point_index // stride % len(values)
        index = index + place * prod(len(spec.parameters[each]) for each in _behind(name, spec))
        stride *= len(values)
    of_sweep = TRIALS.c.sweep_id == asked.id
    for turned in (-1 - index, -1 - TRIALS.c.point_index):
        connection.execute(update(TRIALS).where(of_sweep).values(point_index=turned))
    connection.execute(delete(TRIAL_COLUMNS).where(TRIAL_COLUMNS.c.sweep_id == asked.id))


def _behind(name: str, spec: SweepSpec) -> list[str]:
    """The parameters after one of them."""
    names = list(spec.parameters)
    return names[names.index(name) + 1 :]


def _outline(row: RowMapping) -> SweepOutline:
    columns = dict(row)
    state = shown_state(columns.pop("state"), columns.pop("stop_requested"))
    names = {name: tuple(row[name]) for name in ("gpus", "parameters")}
    return SweepOutline(**{**columns, **names, "state": state})


def _differing(spec: SweepSpec, other: SweepSpec) -> list[str]:
    """The names of the fields in which two specifications differ."""
    return [
        field.name.removeprefix("space_").removesuffix("_s")
        for field in fields(SweepSpec)
        if field.name not in ("total", "extra") and getattr(spec, field.name) != getattr(other, field.name)
    ]


def _state_columns(state: SweepState, error: str | None) -> dict[str, Any]:
    """The columns of a state; a new state clears a stop request."""
    ended = None if state in ACTIVE else datetime.now(UTC)
    return {"state": state, "error": error, "finished_at": ended, "stop_requested": False}


def _called(key: str | int) -> ColumnElement[bool]:
    """The condition for a sweep: text is its key, even if it looks like a number; an integer is its number."""
    if isinstance(key, int):
        return SWEEPS.c.id == key
    return SWEEPS.c.key == key if _KEY.fullmatch(key) else false()


def _is_shown_as(state: SweepState) -> ColumnElement[bool]:
    """The condition for a state as people see it."""
    if state in ("running", "stopping"):
        return (SWEEPS.c.state == "running") & (SWEEPS.c.stop_requested == (state == "stopping"))
    return SWEEPS.c.state == state


def _conditions(query: SweepQuery) -> Iterator[ColumnElement[bool]]:
    if query.states:
        yield or_(*map(_is_shown_as, query.states))
    if query.name is not None:
        yield SWEEPS.c.name == query.name
    if query.owner is not None:
        yield SWEEPS.c.owner == query.owner
