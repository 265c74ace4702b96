"""Opening a database: the engine's settings, and its migration to the newest schema under a lock.

SQLite runs in WAL mode, so readers never wait for the coordinator that writes; a writer takes its lock when
its transaction begins (`BEGIN IMMEDIATE`), and so waits its turn instead of failing half-way.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from filelock import FileLock
from sqlalchemy import Connection, Engine, create_engine, event, make_url, text
from sqlalchemy.engine import URL
from sqlalchemy.exc import ArgumentError, DatabaseError

from dse.store.database.encoding import encode
from dse.store.errors import StoreError

#: How long a SQLite connection waits for another one's write lock.
BUSY_TIMEOUT_S = 60
#: SQLite's settings: readers beside a writer; what is committed survives a killed process; `like` minds capitals,
#: as elsewhere; 64 MiB of pages in memory, and as much in the log before it is written back.
PRAGMAS = (
    "journal_mode = WAL",
    "synchronous = NORMAL",
    "foreign_keys = ON",
    "case_sensitive_like = ON",
    "cache_size = -65536",
    "wal_autocheckpoint = 16384",
)
#: The execution option of a connection that will write.
WRITES = "dse_writes"
#: PostgreSQL's advisory lock that serialises migrations; any constant, ours alone.
MIGRATION_LOCK = 0x647365


def parse_url(where: str | Path) -> URL:
    """The URL of a database: as given, or of the SQLite file at a path, whose folder is made if need be."""
    if isinstance(where, Path) or "://" not in where:
        path = Path(where).expanduser().absolute()
        path.parent.mkdir(parents=True, exist_ok=True)
        return URL.create("sqlite", database=str(path))
    try:
        return make_url(where)
    except ArgumentError as error:
        raise StoreError(f"{where!r} is not a database URL; give a path or sqlite:///PATH") from error


def open_engine(url: URL) -> Engine:
    """An engine with this project's settings; touches nothing yet."""
    if url.get_backend_name() != "sqlite":
        return create_engine(url, pool_pre_ping=True, hide_parameters=True, json_serializer=encode)
    engine = create_engine(
        url, connect_args={"timeout": BUSY_TIMEOUT_S}, hide_parameters=True, json_serializer=encode
    )

    @event.listens_for(engine, "connect")
    def configure(connection: Any, _record: object) -> None:
        connection.isolation_level = None  # transactions are begun below, not by the driver
        for pragma in PRAGMAS:
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        mode = "IMMEDIATE" if connection.get_execution_options().get(WRITES) else "DEFERRED"
        connection.exec_driver_sql(f"BEGIN {mode}")

    return engine


def migrate(engine: Engine) -> None:
    """Bring the schema to the newest version; processes that open a new database at once wait for the first.

    Raises:
        StoreError: the file is not a database, or a newer version of this program wrote it.
    """
    try:
        with _migration_lock(engine), engine.connect() as connection:
            if _is_current(connection):
                return
            config = _alembic_config()
            with connection.execution_options(**{WRITES: True}).begin():
                config.attributes["connection"] = connection
                command.upgrade(config, "head")
    except DatabaseError as error:
        raise StoreError(f"{engine.url.render_as_string()} cannot be opened: {error.orig}") from error


def _alembic_config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parents[1] / "migrations"))
    return config


def schema_problem(connection: Connection) -> str | None:
    """What is wrong with a database's schema; None when it is the newest.

    Raises:
        StoreError: a newer version of this program wrote it.
    """
    head = ScriptDirectory.from_config(_alembic_config()).get_current_head()
    revision = _revision(connection)
    if revision == head:
        return None
    return f"its schema is {revision or 'empty'}, and the newest is {head}; `dse db upgrade` brings it there"


def _is_current(connection: Connection) -> bool:
    with connection.begin():
        return schema_problem(connection) is None


def _revision(connection: Connection) -> str | None:
    """The schema's version, None of an empty database; refuses one that this program does not know."""
    known = {script.revision for script in ScriptDirectory.from_config(_alembic_config()).walk_revisions()}
    revision = MigrationContext.configure(connection).get_current_revision()
    if revision is not None and revision not in known:
        raise StoreError(
            f"{connection.engine.url.render_as_string()} has schema {revision}, which a newer version of "
            "this program wrote; upgrade the program"
        )
    return revision


@contextmanager
def _migration_lock(engine: Engine) -> Iterator[None]:
    """Only one process at a time opens a new database or migrates an old one."""
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
