"""Where this user's data lies."""

from pathlib import Path

import pytest

from dse.home import Home


def test_home_is_where_the_environment_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DSE_HOME", str(tmp_path / "here"))
    home = Home.from_environment().create()
    assert home.root.is_dir()
    assert home.store_url == tmp_path / "here" / "dse.db"
    assert home.mlflow_uri == f"sqlite:///{tmp_path}/here/mlflow.db"
    monkeypatch.delenv("DSE_HOME")
    assert Home.from_environment().root == Path.home() / ".dse"
