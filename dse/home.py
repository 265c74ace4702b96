"""Where results are stored: the folder `DSE_HOME`, unless database and MLflow servers are configured.

`dse.db` in the folder is the source of truth; `mlflow.db` and `mlartifacts/` are exported from it, and can be deleted
and exported again (`dse mlflow sync`).
"""

import os
import re
import shlex
from dataclasses import dataclass
from pathlib import Path

from dse.errors import InputError

#: A host and a port, without the `http://` before them.
LOOKS_LIKE_A_SERVER = re.compile(r"[\w.-]+:\d+/?")


@dataclass(frozen=True)
class Home:
    """A home folder, and what replaces parts of it.

    Attributes:
        root: the folder; it need not exist yet.
        database: URL of the database; None means the SQLite file `dse.db` in the folder.
        mlflow: tracking URI of MLflow; None means the SQLite file `mlflow.db` in the folder.
    """

    root: Path
    database: str | None = None
    mlflow: str | None = None

    @classmethod
    def from_environment(cls) -> "Home":
        """The home configured by `DSE_HOME` (default `~/.dse`), `DSE_DATABASE` and `DSE_MLFLOW`."""
        return cls.at(os.environ.get("DSE_HOME") or Path.home() / ".dse")

    @classmethod
    def at(cls, folder: str | Path) -> "Home":
        """A folder, with the database and the MLflow configured in the environment.

        Raises:
            InputError: MLflow's address has no `http://`, so that it would be taken for a folder, or the database is
                no URL, so that it would be taken for a file.
        """
        root = Path(folder).expanduser().absolute()
        mlflow = os.environ.get("DSE_MLFLOW") or None
        if mlflow and "://" not in mlflow and mlflow != "databricks":
            server = mlflow if LOOKS_LIKE_A_SERVER.fullmatch(mlflow) else f"{mlflow}:5000"
            raise InputError(f"DSE_MLFLOW={mlflow}: write a URL such as http://{server}")
        database = os.environ.get("DSE_DATABASE") or None
        if database and "://" not in database:
            raise InputError(
                f"DSE_DATABASE={database}: write a URL, such as sqlite:///{Path(database).expanduser().absolute()} or "
                "postgresql+psycopg://USER:PASSWORD@HOST/NAME"
            )
        return cls(root, database, mlflow)

    @property
    def store_url(self) -> str | Path:
        """The database: a URL, or the path of a SQLite file."""
        return self.database or self.root / "dse.db"

    @property
    def option(self) -> str:
        """The option with which a command of this shell finds the same folder; empty if it needs none."""
        is_default = self.database or self.root == Home.from_environment().root
        return "" if is_default else f" --home {shlex.quote(str(self.root))}"

    @property
    def mlflow_path(self) -> Path:
        """The SQLite file of MLflow."""
        return self.root / "mlflow.db"

    @property
    def mlflow_uri(self) -> str:
        """The tracking URI, as for `mlflow ui --backend-store-uri`."""
        return self.mlflow or f"sqlite:///{self.mlflow_path}"

    def create(self) -> "Home":
        """Create the folder if necessary.

        Raises:
            InputError: it cannot be created, or is no folder that can be written.
        """
        try:
            self.root.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            reason = "it is a file" if isinstance(error, FileExistsError) else error.strerror
            raise InputError(
                f"the folder of results {self.root} cannot be created: {reason}; set DSE_HOME to another one"
            ) from error
        if not os.access(self.root, os.W_OK | os.X_OK):
            raise InputError(
                f"the folder of results {self.root} cannot be written; set DSE_HOME to another one"
            )
        return self
