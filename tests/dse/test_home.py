"""Where this user's data lies."""

from pathlib import Path

import pytest

from dse.errors import InputError
from dse.home import Home


@pytest.mark.parametrize("place", ["/proc/nowhere", "file", "file/below"])
def test_a_home_that_cannot_be_made_is_refused(tmp_path: Path, place: str) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match=f"{place} cannot be created: .*; set DSE_HOME to another one"):
        Home.at(tmp_path / place).create()


def test_an_address_of_mlflow_without_its_scheme_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DSE_MLFLOW", "127.0.0.1:5000")
    with pytest.raises(InputError, match=r"DSE_MLFLOW=127\.0\.0\.1:5000: write a URL such as http://127"):
        Home.from_environment()
    monkeypatch.setenv("DSE_MLFLOW", "mlflow")
    with pytest.raises(InputError, match=r"DSE_MLFLOW=mlflow: write a URL such as http://mlflow:5000"):
        Home.from_environment()
    monkeypatch.setenv("DSE_MLFLOW", "http://127.0.0.1:5000")
    assert Home.from_environment().mlflow_uri == "http://127.0.0.1:5000"


def test_home_is_where_the_environment_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DSE_HOME", str(tmp_path / "here"))
    home = Home.from_environment().create()
    assert home.root.is_dir()
    assert home.store_url == tmp_path / "here" / "dse.db"
    assert home.mlflow_uri == f"sqlite:///{tmp_path}/here/mlflow.db"
    monkeypatch.delenv("DSE_HOME")
    assert Home.from_environment().root == Path.home() / ".dse"


@pytest.mark.parametrize("database", ["foo", "/srv/dse.db"])
def test_a_database_that_is_no_url_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, database: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DSE_DATABASE", database)
    with pytest.raises(
        InputError, match=rf"^DSE_DATABASE={database}: write a URL, such as sqlite:///.*{database} or"
    ):
        Home.from_environment()
    assert not [*tmp_path.iterdir()]
