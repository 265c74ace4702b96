"""The way to MLflow for a tracking URI."""

from dse.tracking import sqlite_file
from dse.tracking.runs import Runs
from dse.tracking.sqlite_runs import SqliteRuns


def connect(tracking_uri: str) -> Runs:
    """The fastest way to a tracking URI."""
    if not tracking_uri.startswith("sqlite:"):
        return _with_client(tracking_uri)
    try:
        return SqliteRuns(tracking_uri)
    except sqlite_file.UnknownTables:
        return _with_client(tracking_uri, in_file=True)


def _with_client(tracking_uri: str, in_file: bool = False) -> Runs:
    """MLflow's client; it is imported here, since that takes three seconds."""
    from dse.tracking.client_runs import ClientRuns

    if not in_file:
        return ClientRuns(tracking_uri)
    return ClientRuns(tracking_uri, sqlite_file.artifact_folder(sqlite_file.path(tracking_uri)))
