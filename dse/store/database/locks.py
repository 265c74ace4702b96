"""Exclusive locks: a lock file next to a SQLite database, an advisory lock in PostgreSQL.

Both are released when the process that holds them ends.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import sleep
from typing import Protocol

from filelock import FileLock, Timeout
from sqlalchemy import Connection, Engine, func, select
from sqlalchemy.exc import SQLAlchemyError

from dse.store.database.retrying import retried


class Lock(Protocol):
    """A lock of either kind."""

    def take(self) -> bool:
        """Try to acquire the lock; returns whether it is held."""

    def is_held(self) -> bool:
        """Whether the lock is still held; a restart of the database server releases it."""

    def release(self) -> None:
        """Release the lock; harmless if it is not held."""


@contextmanager
def held(
    engine: Engine, path: str | Path, key: int, gives_up: Callable[[], bool], poll_s: float
) -> Iterator[Lock | None]:
    """Acquire a lock, waiting until it is free; None if `gives_up` returned true first.

    Args:
        engine: engine of the database.
        path: the lock file, if the database is a file.
        key: key of the advisory lock, if the database is a server.
        gives_up: called after each failed attempt; whether to stop waiting.
        poll_s: seconds between attempts.
    """
    lock: Lock = _File(path) if engine.dialect.name == "sqlite" else _Advisory(engine, key)
    try:
        is_held = lock.take()
        while not is_held and not gives_up():
            sleep(poll_s)
            is_held = lock.take()
        yield lock if is_held else None
    finally:
        lock.release()


class _File:
    def __init__(self, path: str | Path) -> None:
        self._lock = FileLock(path, thread_local=False)

    def take(self) -> bool:
        with suppress(Timeout):
            self._lock.acquire(timeout=0)
        return self.is_held()

    def is_held(self) -> bool:
        return self._lock.is_locked

    def release(self) -> None:
        self._lock.release()


class _Advisory:
    def __init__(self, engine: Engine, key: int) -> None:
        self._engine = engine
        self._key = key
        self._connection: Connection | None = None

    @retried
    def take(self) -> bool:
        if self._connection is None:
            self._connection = self._engine.connect().execution_options(isolation_level="AUTOCOMMIT")
        try:
            return bool(self._connection.scalar(select(func.pg_try_advisory_lock(self._key))))
        except SQLAlchemyError:
            self.release()
            raise

    def is_held(self) -> bool:
        try:
            return self._connection is not None and bool(self._connection.scalar(select(1)))
        except SQLAlchemyError:
            self.release()
            return False

    def release(self) -> None:
        if self._connection:
            self._connection.invalidate()  # the lock is released with its connection, whatever its state
            self._connection.close()
        self._connection = None
