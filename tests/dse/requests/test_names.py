"""Names that do not exist are refused before the database is imported, in the words of `Client.submit`."""

from pathlib import Path
from typing import Any

import pytest

from dse import Client
from dse.errors import InputError
from dse.requests.names import check_names
from dse.runners.inline import InlineRunner
from dse.store import SweepNotFound
from dse.store.glance import check_sweep
from search_spaces import SpaceError
from simcore.errors import UnknownGpu

PROFILE = """name: fast
base: h100-sxm
label: {value: extrapolated, unit: text, source: mine}
clock_mhz: {value: 2000, unit: MHz, source: mine}
"""
Refusal = (InputError, SpaceError, UnknownGpu)


@pytest.fixture
def client(tmp_path: Path, space_file: Path) -> Client:
    """A client with an uploaded space, an uploaded GPU and no sweep."""
    client = Client(tmp_path / "home", InlineRunner, tracking=False)
    client.upload_space(space_file, "mine")
    (tmp_path / "fast.yaml").write_text(PROFILE)
    client.upload_gpu(tmp_path / "fast.yaml")
    return client


@pytest.mark.parametrize("is_new", [True, False], ids=["new home", "used home"])
@pytest.mark.parametrize(
    "asked",
    [
        {"space": "rsqrt_chian"},
        {"space": "no/such/folder"},
        {"gpu": ["h100"]},
        {"gpu": ["h100-sxm,smss=144"]},
        {"gpu": ["a b:h100-sxm"]},
        {"parameters": {"unrol": [1]}},
        {"yaml": ("unroll:", "unroll=")},
        {"yaml": ("gpu: [", "gpu: [h100, ")},
    ],
    ids=str,
)
def test_a_name_is_refused_as_by_a_client(
    client: Client, space_file: Path, tmp_path: Path, asked: dict[str, Any], is_new: bool
) -> None:
    before, after = asked.get("yaml", ("", ""))
    space_file.write_text(space_file.read_text().replace(before, after, 1))
    request: dict[str, Any] = {"space": str(space_file), "gpu": [], "parameters": {}}
    request |= {name: value for name, value in asked.items() if name != "yaml"}
    used = client if not is_new else Client(tmp_path / "new", InlineRunner, tracking=False)
    with pytest.raises(Refusal) as refused:
        used.submit(**request)
    store = tmp_path / ("nowhere" if is_new else "home") / "dse.db"
    with pytest.raises(type(refused.value)) as early:
        check_names(store, request["space"], request["gpu"], request["parameters"])
    assert str(early.value) == str(refused.value)


def test_what_is_there_or_may_be_passes(client: Client, tmp_path: Path) -> None:
    store = tmp_path / "home" / "dse.db"
    check_names(store, "mine", ["fast", "h200", "own:h200,sms=100"], {})
    check_names("postgresql://nowhere/dse", "mine", ["fast"], {})
    (tmp_path / "old.db").write_text("none of our databases")
    check_names(tmp_path / "old.db", "mine", ["fast"], {})
    check_sweep(tmp_path / "old.db", "7")


def test_a_sweep_that_is_not_there_is_refused(client: Client, tmp_path: Path) -> None:
    point = {"unroll": [1], "width": [1], "block_size": [64]}
    client.submit("mine", "h200", parameters=point, id="known").wait()
    check_sweep(tmp_path / "home" / "dse.db", "known")
    for store in (tmp_path / "home" / "dse.db", tmp_path / "nowhere.db"):
        with pytest.raises(SweepNotFound, match=r"no sweep other; `dse list` shows all sweeps"):
            check_sweep(store, "other")
