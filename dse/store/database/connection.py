"""What every part of the store stands on: one database, opened, and its statements."""

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

#: PostgreSQL's advisory lock of the coordinator; any constant, ours alone.
COORDINATOR_LOCK = 0x647366
#: How often a coordinator tries again to take it, in seconds.
LOCK_POLL_S = 0.5


class Database:
    """A database of ours.

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
        """The store at a path or URL, made or brought to the newest schema if need be.

        Raises:
            StoreError: it is not a database of ours, or one from a newer version.
        """
        store = cls(where)
        store.upgrade()
        return store

    def upgrade(self) -> None:
        """Bring the schema to the newest version; safe when many processes do so at once."""
        migrate(self._engine)

    @contextmanager
    def coordinator_lock(self, gives_up: Callable[[], bool]) -> Iterator[Callable[[], bool] | None]:
        """Hold the lock that one coordinator alone holds, once it is free.

        Yields what tells whether it is still held; a restarted database server loses it, and then it is taken again
        unless another one was faster. None when `gives_up`, which is asked twice a second, said to wait no more.
        """
        path = f"{self._engine.url.database}.coordinator.lock"
        with held(self._engine, path, COORDINATOR_LOCK, gives_up, LOCK_POLL_S) as lock:
            yield (lambda: lock.is_held() or lock.take()) if lock else None

    def ping(self) -> None:
        """Ask the database for an answer.

        Raises:
            StoreUnavailable: it gives none.
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

        PostgreSQL takes them as one JSON text, many times faster than as a thousand parameters.
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
        """Whether a column holds one of many texts, which travel as one parameter."""
        if self._is_postgresql:
            return column == any_(bindparam(None, list(values), type_=postgresql.ARRAY(Text)))
        listed = func.json_each(encode(list(values))).table_valued("value")
        return column.in_(select(listed.c.value))
