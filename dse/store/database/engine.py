"""Opening a database: engine settings, and schema migration under a lock.

SQLite runs in WAL mode, so readers never wait for the writing coordinator. A writer acquires its lock at the start
of its transaction (`BEGIN IMMEDIATE`), so it waits instead of failing halfway.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from filelock import FileLock
from sqlalchemy import Connection, Engine, create_engine, event, inspect, make_url, text
from sqlalchemy.engine import URL
from sqlalchemy.exc import ArgumentError, DatabaseError, NoSuchModuleError

from dse.store.database.encoding import encode
from dse.store.errors import StoreError

#: How long a SQLite connection waits for another one's write lock.
BUSY_TIMEOUT_S = 60
#: SQLite settings: readers concurrent with a writer; commits survive a killed process; case-sensitive `like`, as in
#: other databases; 64 MiB page cache, 2 GiB of the file mapped into memory (a third less time for a sweep of a million
#: trials), and checkpoints after 64 MiB of log.
PRAGMAS = (
    "journal_mode = WAL",
    "synchronous = NORMAL",
    "foreign_keys = ON",
    "case_sensitive_like = ON",
    "cache_size = -65536",
    "mmap_size = 2147418112",
    "wal_autocheckpoint = 16384",
)
MIGRATIONS = Path(__file__).parents[1] / "migrations"
#: Databases that results can be stored in.
BACKENDS = ("sqlite", "postgresql")
#: Execution option of connections that write.
WRITES = "dse_writes"
#: PostgreSQL's advisory lock that serialises migrations; an arbitrary constant, unique to this program.
MIGRATION_LOCK = 0x647365


def parse_url(where: str | Path) -> URL:
    """The URL of a database: as given, or for the SQLite file at a path, whose folder is created if necessary."""
    if isinstance(where, Path) or "://" not in where:
        path = Path(where).expanduser().absolute()
        path.parent.mkdir(parents=True, exist_ok=True)
        return URL.create("sqlite", database=str(path))
    try:
        url = make_url(where)
        is_known = url.get_backend_name() in BACKENDS and bool(url.get_dialect())
    except NoSuchModuleError:
        is_known = False
    except ArgumentError as error:
        raise StoreError(f"{where!r} is not a database URL; give a path or sqlite:///PATH") from error
    if not is_known:
        raise StoreError(
            f"results cannot be stored in {url.drivername}; write sqlite:///PATH or "
            "postgresql+psycopg://USER:PASSWORD@HOST/NAME"
        )
    return url


def open_engine(url: URL) -> Engine:
    """An engine with this project's settings; does not connect yet."""
    if url.get_backend_name() != "sqlite":
        return create_engine(url, pool_pre_ping=True, hide_parameters=True, json_serializer=encode)
    engine = create_engine(
        url, connect_args={"timeout": BUSY_TIMEOUT_S}, hide_parameters=True, json_serializer=encode
    )

    @event.listens_for(engine, "connect")
    def configure(connection: Any, _record: object) -> None:
        connection.isolation_level = None  # transactions are started below, not by the driver
        for pragma in PRAGMAS:
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        mode = "IMMEDIATE" if connection.get_execution_options().get(WRITES) else "DEFERRED"
        connection.exec_driver_sql(f"BEGIN {mode}")

    return engine


def migrate(engine: Engine) -> None:
    """Upgrade the schema; concurrent processes wait for the first one.

    Raises:
        StoreError: the file is not a database, or was written by a newer version of this program.
    """
    try:
        with _migration_lock(engine), engine.connect() as connection:
            if _is_current(connection):
                return
            with connection.execution_options(**{WRITES: True}).begin():
                _upgrade(connection)
    except DatabaseError as error:
        raise StoreError(f"{engine.url.render_as_string()} cannot be opened: {error.orig}") from error


def _upgrade(connection: Connection) -> None:
    """Run the missing migrations; Alembic is imported here, since a current database does without."""
    from alembic import command
    from alembic.config import Config

    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", str(MIGRATIONS))
    command.upgrade(config, "head")


@cache
def revisions() -> tuple[str, ...]:
    """The versions of the schema, oldest first: what the files of the migrations are named by."""
    return tuple(sorted(path.name.partition("_")[0] for path in (MIGRATIONS / "versions").glob("[0-9]*.py")))


def schema_problem(connection: Connection) -> str | None:
    """The problem of a database's schema; None if it is current.

    Raises:
        StoreError: the database was written by a newer version of this program.
    """
    head = revisions()[-1]
    revision = _revision(connection)
    if revision == head:
        return None
    return f"its schema is {revision or 'empty'}, the current one is {head}; run `dse db upgrade`"


def _is_current(connection: Connection) -> bool:
    with connection.begin():
        return schema_problem(connection) is None


def _revision(connection: Connection) -> str | None:
    """The schema's version; None if the database is empty; refuses unknown versions."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    revision: str | None = connection.scalar(text("SELECT version_num FROM alembic_version"))
    if revision is not None and revision not in revisions():
        raise StoreError(
            f"{connection.engine.url.render_as_string()} has schema {revision}, written by a newer version of "
            "this program; upgrade the program"
        )
    return revision


@contextmanager
def _migration_lock(engine: Engine) -> Iterator[None]:
    """Hold the lock that serialises the creation and migration of a database."""
    if engine.dialect.name == "sqlite":
        with FileLock(f"{engine.url.database}.lock", timeout=BUSY_TIMEOUT_S):
            yield
        return
    with engine.connect() as connection:
        connection.execute(text("SELECT pg_advisory_lock(:key)"), {"key": MIGRATION_LOCK})
        try:
            yield
        finally:
            connection.execute(text("SELECT pg_advisory_unlock(:key)"), {"key": MIGRATION_LOCK})
