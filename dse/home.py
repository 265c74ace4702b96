"""Where this machine keeps its results: one folder, named by `DSE_HOME`.

`dse.db` in it is the truth; `mlflow.db` and `mlartifacts/` are written from it, and can be deleted and
written again (`dse mlflow sync`).
"""

import os
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Home:
    """The paths of one home folder.

    Attributes:
        root: the folder; it need not exist yet.
    """

    root: Path

    @classmethod
    def from_environment(cls) -> "Home":
        """The folder that `DSE_HOME` names, or `~/.dse`."""
        named = os.environ.get("DSE_HOME")
        return cls((Path(named) if named else Path.home() / ".dse").expanduser().absolute())

    @property
    def store_path(self) -> Path:
        """The SQLite file of sweeps, trials and results."""
        return self.root / "dse.db"

    @property
    def mlflow_path(self) -> Path:
        """The SQLite file that MLflow keeps its runs in."""
        return self.root / "mlflow.db"

    @property
    def mlflow_uri(self) -> str:
        """MLflow's tracking URI: what `DSE_MLFLOW` says, or the SQLite file."""
        return os.environ.get("DSE_MLFLOW") or f"sqlite:///{self.mlflow_path}"

    @property
    def artifact_path(self) -> Path:
        """The folder of files that MLflow shows beside its runs."""
        return self.root / "mlartifacts"

    def create(self) -> "Home":
        """Make the folder if need be."""
        self.root.mkdir(parents=True, exist_ok=True)
        return self
