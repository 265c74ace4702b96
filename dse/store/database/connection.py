"""The base of all parts of the store: an open database and common statements."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from sqlalchemy import (
    JSON,
    ColumnElement,
    Connection,
    CursorResult,
    Executable,
    Table,
    Text,
    any_,
    bindparam,
    column,
    func,
    literal_column,
    select,
    text,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import DBAPIError

from dse.store.database.encoding import encode
from dse.store.database.engine import WRITES, migrate, open_engine, parse_url
from dse.store.database.locks import held
from dse.store.database.retrying import unavailable

#: PostgreSQL's advisory lock of the coordinator; an arbitrary constant, unique to this program.
COORDINATOR_LOCK = 0x647366
#: Seconds between attempts of a coordinator to acquire it.
LOCK_POLL_S = 0.5


class Database:
    """An open database.

    Attributes:
        url: its URL, without a password.
    """

    def __init__(self, where: str | Path) -> None:
        url = parse_url(where)
        self.url = url.render_as_string()
        self._engine = open_engine(url)
        self._writer = self._engine.execution_options(**{WRITES: True})

    @classmethod
    def open(cls, where: str | Path) -> Self:
        """Open the store at a path or URL; creates it or upgrades its schema if necessary.

        Raises:
            StoreError: it is not a database of this program, or has a newer schema.
        """
        store = cls(where)
        store.upgrade()
        return store

    def upgrade(self) -> None:
        """Upgrade the schema; safe for concurrent processes."""
        migrate(self._engine)

    @contextmanager
    def coordinator_lock(self, gives_up: Callable[[], bool]) -> Iterator[Callable[[], bool] | None]:
        """Acquire the lock of the only coordinator, waiting until it is free.

        Yields a function that returns whether the lock is still held. A restart of the database server releases it;
        it is then reacquired, unless another coordinator was faster. Yields None if `gives_up`, which is called twice
        a second, returned true.
        """
        path = f"{self._engine.url.database}.coordinator.lock"
        with held(self._engine, path, COORDINATOR_LOCK, gives_up, LOCK_POLL_S) as lock:
            yield (lambda: lock.is_held() or lock.take()) if lock else None

    def ping(self) -> None:
        """Check that the database responds.

        Raises:
            StoreUnavailable: it does not.
        """
        try:
            with self._engine.connect() as connection:
                connection.execute(text("SELECT 1"))
        except DBAPIError as error:
            raise unavailable(error) from error

    def close(self) -> None:
        """Close every connection."""
        self._engine.dispose()

    @property
    def _is_postgresql(self) -> bool:
        return self._engine.dialect.name == "postgresql"

    def _insert(self, table: Table) -> sqlite.Insert | postgresql.Insert:
        """The insert statement of this database's dialect; the two have the same `on_conflict` clauses."""
        return postgresql.insert(table) if self._is_postgresql else sqlite.insert(table)

    def _insert_rows(self, table: Table, columns: Sequence[str]) -> sqlite.Insert | postgresql.Insert:
        """An insert of many rows, for `_put`.

        PostgreSQL receives them as one JSON text, many times faster than as a thousand parameters.
        """
        if not self._is_postgresql:
            return sqlite.insert(table)
        kind: ColumnElement[Any] = literal_column(f"NULL::{table.name}")
        rows = func.json_populate_recordset(kind, bindparam("rows", type_=Text).cast(JSON))
        taken = rows.table_valued(*(column(name) for name in columns))
        return postgresql.insert(table).from_select(list(columns), select(*taken.c))

    def _put(
        self, connection: Connection, insert: Executable, rows: Sequence[Mapping[str, Any]]
    ) -> CursorResult[Any]:
        """Execute an `_insert_rows`."""
        return connection.execute(insert, {"rows": encode(rows)} if self._is_postgresql else rows)

    def _among(self, column: ColumnElement[str], values: Iterable[str]) -> ColumnElement[bool]:
        """Whether a column contains one of many texts, passed as one parameter."""
        if self._is_postgresql:
            return column == any_(bindparam(None, list(values), type_=postgresql.ARRAY(Text)))
        listed = func.json_each(encode(list(values))).table_valued("value")
        return column.in_(select(listed.c.value))
