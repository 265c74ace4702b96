"""The address of MLflow, with credentials separated from what is displayed."""

import os
import socket
from dataclasses import dataclass
from typing import Self
from urllib.parse import unquote, urlsplit

from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError

#: Where `mlflow ui` listens.
LOCAL_UI = "http://127.0.0.1:5000"
#: How long a server may take to accept a connection.
CONNECT_S = 3.0
USER, PASSWORD = "MLFLOW_TRACKING_USERNAME", "MLFLOW_TRACKING_PASSWORD"


@dataclass(frozen=True)
class Address:
    """A tracking URI.

    Attributes:
        uri: URI for MLflow's client; without credentials for a server, since MLflow reads those from the environment.
        shown: the same without any password.
    """

    uri: str
    shown: str

    @classmethod
    def of(cls, tracking_uri: str) -> Self:
        """The address of a tracking URI; credentials of a server are moved to the environment variables of MLflow."""
        parts = urlsplit(tracking_uri)
        if parts.scheme not in ("http", "https"):
            return cls(tracking_uri, _without_password(tracking_uri))
        if parts.username is not None:
            os.environ[USER], os.environ[PASSWORD] = unquote(parts.username), unquote(parts.password or "")
        bare = parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl().rstrip("/")
        return cls(bare, bare)

    @property
    def is_server(self) -> bool:
        """Whether it is a tracking server rather than a database."""
        return self.uri.startswith(("http://", "https://"))

    @property
    def server(self) -> str | None:
        """URL of the tracking server; None for a database."""
        return self.uri if self.is_server else None

    @property
    def host(self) -> str:
        """Host name and port of a server."""
        return urlsplit(self.uri).netloc

    def responds(self) -> bool:
        """Whether a server accepts connections there; what it answers is not asked."""
        parts = urlsplit(self.uri)
        try:
            port = parts.port or (443 if parts.scheme == "https" else 80)
            socket.create_connection((parts.hostname or "", port), CONNECT_S).close()
        except (OSError, ValueError):
            return False
        return True

    @property
    def user(self) -> str | None:
        """The user name of the clients."""
        return os.environ.get(USER)

    @property
    def ui(self) -> str:
        """URL of the web interface: of the server, or of the one that `ui_command` starts."""
        return self.uri if self.is_server else LOCAL_UI

    @property
    def ui_command(self) -> str | None:
        """The command that serves a database to the browser; None for a server."""
        return None if self.is_server else f"mlflow ui --workers 1 --backend-store-uri {self.shown}"


def _without_password(uri: str) -> str:
    try:
        return make_url(uri).render_as_string(hide_password=True)
    except ArgumentError:
        return uri
