"""The sweeps: created, found, listed, steered and deleted."""

import re
import secrets
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import fields
from datetime import UTC, datetime
from itertools import count
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, delete, false, func, insert, select, update

from dse.store.database.connection import Database
from dse.store.database.retrying import retried
from dse.store.errors import KeyRefused, SweepChanged, SweepExists, SweepNotFound
from dse.store.queries import ALL_SWEEPS, SweepQuery
from dse.store.records import ACTIVE, SweepRecord, SweepSpec, SweepState
from dse.store.schema.rows import sweep_record, sweep_row
from dse.store.schema.tables import DELETED_SWEEPS, SWEEPS, TRIAL_COUNTS, TRIALS

_KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}", re.ASCII)
#: The largest number that a sweep can have, in every database.
_MAX_ID = 2**31 - 1
#: Where revisions begin at most.
_MAX_REVISION = 2**30


class SweepStore(Database):
    """The part of the store that holds what was asked."""

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
        """Store a new sweep, or find the one that was stored when this was asked before.

        Args:
            spec: what is asked.
            key: what to call it, 1 to 100 letters, digits, dots, dashes and underscores; None takes its number.
            managed: whether the coordinator is to run it.
            priority: its share of the workers beside other sweeps.
            owner: the name of the token that asks.
            state: `queued` for the coordinator to take up, or `running`.

        Raises:
            KeyRefused: the key has another form.
            SweepExists: a sweep has the key and asks something else.
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
                f"a sweep cannot be called {key!r}: an id has 1 to 100 letters, digits, dots, dashes and "
                "underscores, and begins with a letter or a digit"
            )
        return self._create_named({**row, "key": key}, spec)

    @retried
    def sweep(self, key: str | int) -> SweepRecord:
        """One sweep, by its key when that is text, or else by its number.

        Raises:
            SweepNotFound: there is none.
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
    def sweep_count(self, query: SweepQuery = ALL_SWEEPS) -> int:
        """How many sweeps there would be without a limit and an offset."""
        count = select(func.count()).select_from(SWEEPS).where(*_conditions(query))
        with self._engine.connect() as connection:
            return int(connection.execute(count).scalar_one())

    @retried
    def sweeps_to_coordinate(self) -> list[SweepRecord]:
        """The sweeps that a coordinator is to run and that have not ended, oldest first."""
        is_open = SWEEPS.c.managed & SWEEPS.c.state.in_(ACTIVE)
        return self._sweeps(select(SWEEPS).where(is_open).order_by(SWEEPS.c.id))

    def _sweeps(self, query: Select[Any]) -> list[SweepRecord]:
        with self._engine.connect() as connection:
            return [sweep_record(row) for row in connection.execute(query).mappings()]

    @retried
    def sweeps_by_state(self) -> dict[SweepState, int]:
        """How many sweeps there are in each state."""
        number = func.count().label("sweeps")
        query = select(SWEEPS.c.state, number).group_by(SWEEPS.c.state).order_by(SWEEPS.c.state)
        with self._engine.connect() as connection:
            return {row.state: row.sweeps for row in connection.execute(query)}

    @retried
    def change_state(
        self, sweep_id: int, expected: SweepState, state: SweepState, error: str | None = None
    ) -> bool:
        """Move a sweep from one state to another; `error` says why it failed.

        Any state but `queued` and `running` also sets when it ended.

        Returns:
            Whether it was there. False also when it was, and the database was lost before it could say so.
        """
        of_sweep = (SWEEPS.c.id == sweep_id) & (SWEEPS.c.state == expected)
        with self._writer.begin() as connection:
            changed = connection.execute(update(SWEEPS).where(of_sweep).values(_state_columns(state, error)))
            return bool(changed.rowcount)

    def request_stop(self, sweep_id: int) -> None:
        """Ask whoever runs a sweep to stop it."""
        self._update_sweep(sweep_id, {"stop_requested": True})

    def take(self, sweep_id: int) -> None:
        """Say that a process of its own runs a sweep from now on, whoever ran it before."""
        taken = {"managed": False, **_state_columns("running", None)}
        self._update_sweep(sweep_id, taken)

    def set_priority(self, sweep_id: int, priority: int) -> None:
        """Change a sweep's share of the workers."""
        self._update_sweep(sweep_id, {"priority": priority})

    @retried
    def extend(self, asked: SweepRecord, spec: SweepSpec, *, anew: bool, managed: bool) -> None:
        """Let a sweep ask more, or the same again, and run for that.

        Args:
            asked: the sweep as it was read when the specification was made from it.
            spec: what it asks now.
            anew: whether its trials go, for their points may have other indices now, and with them their runs in
                MLflow; what they found stays known, so the next run answers them from the store.
            managed: whether the coordinator is to run it, or the caller's process.

        Raises:
            SweepChanged: it asks something else by now.
        """
        unchanged = (SWEEPS.c.revision == asked.revision) & (SWEEPS.c.planned == asked.spec.total)
        values = {"managed": managed, **_state_columns("queued" if managed else "running", None)}
        if anew:
            values |= {**sweep_row(spec), "revision": SWEEPS.c.revision + 1, "mlflow_run_id": None}
        else:
            values |= {"trials": spec.trials, "timeout_s": spec.timeout_s, "planned": spec.total}
        with self._writer.begin() as connection:
            query = update(SWEEPS).where(SWEEPS.c.id == asked.id, unchanged).values(values)
            if not connection.execute(query).rowcount:
                raise SweepChanged(asked.key)
            for table in (TRIALS, TRIAL_COUNTS) if anew else ():
                connection.execute(delete(table).where(table.c.sweep_id == asked.id))

    def delete_sweep(self, sweep_id: int) -> None:
        """Forget a sweep and its trials; the results stay known, and the outbox has its runs deleted.

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
        """A sweep called by its number; by the number and a suffix where somebody chose that text as a key.

        It is made under a key that nobody else has and named then, so that either step can be done again.
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


def _differing(spec: SweepSpec, other: SweepSpec) -> list[str]:
    """What two specifications do not have alike, by the names of the fields."""
    return [
        field.name.removeprefix("space_").removesuffix("_s")
        for field in fields(SweepSpec)
        if field.name not in ("total", "extra") and getattr(spec, field.name) != getattr(other, field.name)
    ]


def _state_columns(state: SweepState, error: str | None) -> dict[str, Any]:
    """What `sweeps` holds of a state; a new one answers whatever stop was asked for."""
    ended = None if state in ACTIVE else datetime.now(UTC)
    return {"state": state, "error": error, "finished_at": ended, "stop_requested": False}


def _called(key: str | int) -> ColumnElement[bool]:
    """What a sweep's name means: text is its key, also where it looks like the number of another; else its number."""
    if isinstance(key, int):
        return SWEEPS.c.id == key
    return SWEEPS.c.key == key if _KEY.fullmatch(key) else false()


def _conditions(query: SweepQuery) -> Iterator[ColumnElement[bool]]:
    if query.states:
        yield SWEEPS.c.state.in_(query.states)
    if query.name is not None:
        yield SWEEPS.c.name == query.name
    if query.owner is not None:
        yield SWEEPS.c.owner == query.owner
