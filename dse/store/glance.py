"""What a home folder's SQLite file holds by name, read without SQLAlchemy, whose import takes half a second.

For refusals alone: what is not there is said at once, and what is there is read by the `Store`.
"""

import sqlite3
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from dse.store.errors import SweepNotFound


def check_sweep(store: str | Path, key: str) -> None:
    """Refuse a sweep that is certainly not there.

    Args:
        store: a database, as `Home.store_url` names it.
        key: the sweep's key.

    Raises:
        SweepNotFound: there is no such sweep.
    """
    if _column(store, "select key from sweeps where key = ?", key) == []:
        raise SweepNotFound(key)


def uploaded_spaces(store: str | Path) -> list[str] | None:
    """The names of the uploaded spaces; None if only the `Store` can tell."""
    return _column(store, "select distinct name from spaces order by name")


def uploaded_gpus(store: str | Path) -> list[str] | None:
    """The names of the uploaded profiles; None if only the `Store` can tell."""
    return _column(store, "select name from gpu_profiles")


def _column(store: str | Path, query: str, *values: str) -> list[str] | None:
    """What a query finds; None of a database that is a server, or none of today's schema."""
    if not isinstance(store, Path):
        return None
    if not store.exists():
        return []
    try:
        with closing(sqlite3.connect(f"file:{quote(str(store))}?mode=ro", uri=True)) as database:
            return [str(row[0]) for row in database.execute(query, values)]
    except sqlite3.Error:
        return None
