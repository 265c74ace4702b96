"""What every part of the store stands on: one database, opened, and its statements."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from sqlalchemy import Table, text
from sqlalchemy.dialects import postgresql, sqlite

from dse.store.database import WRITES, coordinator_lock, migrate, open_engine, parse_url


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
    def coordinator_lock(self, path: Path, gives_up: Callable[[], bool]) -> Iterator[bool]:
        """Hold what one coordinator alone may hold, once it is free; whether it is held.

        Args:
            path: of the file that stands for it, where the database is a file itself.
            gives_up: asked twice a second whether to wait no more.
        """
        with coordinator_lock(self._engine, path, gives_up) as is_held:
            yield is_held

    def ping(self) -> None:
        """Ask the database for an answer; raises when it gives none."""
        with self._engine.connect() as connection:
            connection.execute(text("SELECT 1"))

    def close(self) -> None:
        """Close every connection."""
        self._engine.dispose()

    def _insert(self, table: Table) -> sqlite.Insert | postgresql.Insert:
        """The insert statement of this database's dialect; the two have the same `on_conflict` clauses."""
        return postgresql.insert(table) if self._engine.dialect.name == "postgresql" else sqlite.insert(table)
