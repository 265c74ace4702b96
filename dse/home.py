"""Where results are kept: one folder, named by `DSE_HOME`, unless a database server and MLflow's are named.

`dse.db` in the folder is the truth; `mlflow.db` and `mlartifacts/` are written from it, and can be deleted and
written again (`dse mlflow sync`).
"""

import os
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Home:
    """One home folder, and what stands for parts of it.

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
        """What `DSE_HOME` (else `~/.dse`), `DSE_DATABASE` and `DSE_MLFLOW` name."""
        return cls.at(os.environ.get("DSE_HOME") or Path.home() / ".dse")

    @classmethod
    def at(cls, folder: str | Path) -> "Home":
        """A folder, with the database and the MLflow that the environment names."""
        root = Path(folder).expanduser().absolute()
        return cls(root, os.environ.get("DSE_DATABASE") or None, os.environ.get("DSE_MLFLOW") or None)

    @property
    def store_url(self) -> str | Path:
        """Where sweeps, trials and results are: a URL, or the path of a SQLite file."""
        return self.database or self.root / "dse.db"

    @property
    def mlflow_path(self) -> Path:
        """The SQLite file that MLflow keeps its runs in."""
        return self.root / "mlflow.db"

    @property
    def mlflow_uri(self) -> str:
        """The tracking URI that `mlflow ui --backend-store-uri` takes."""
        return self.mlflow or f"sqlite:///{self.mlflow_path}"

    def create(self) -> "Home":
        """Make the folder if need be."""
        self.root.mkdir(parents=True, exist_ok=True)
        return self
