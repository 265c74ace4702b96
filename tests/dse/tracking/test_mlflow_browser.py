"""What a person sees in MLflow's web interface, in a real Chromium.

`DSE_SCREENSHOTS=docs/images pytest tests/dse/tracking/test_mlflow_browser.py` makes the pictures of docs/mlflow.md.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from dse import Client, Sweep, Trial
from dse.runners.inline import InlineRunner
from dse.store import SweepQuery
from search_spaces import Value
from testing.browser import Page, open_browser
from testing.mlflow_server import Server

#: What MLflow opens beside its pages on a first visit.
NO_ASSISTANT = "localStorage.setItem('mlflow.assistant.fab.autoOpenedOnFirstLoad_v1', 'true')"
VALUES: dict[str, list[Value]] = {
    "unroll": [1, 4, 8],
    "n": [64],
    "block_size": [128, 256],
    "register_cap": [None],
}
TRIALS = 12
CHOSEN = (
    "h100-sxm unroll=8 block_size=256",
    "h100-sxm unroll=1 block_size=256",
    "a100-80gb unroll=8 block_size=128",
)


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    with open_browser() as page:
        page.add_init_script(NO_ASSISTANT)
        yield page


@pytest.fixture(scope="module")
def sweep(page: Page, server: Server, tmp_path_factory: pytest.TempPathFactory) -> Sweep:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DSE_MLFLOW", server.uri)
        client = Client(tmp_path_factory.mktemp("home"), runner=InlineRunner)
        sweep = client.submit("rsqrt_chain", ["a100-80gb", "h100-sxm"], parameters=VALUES).wait()
        (listed,) = client.service.sweep_page(SweepQuery()).items
        assert listed.mlflow_url == sweep.mlflow_url
        return sweep


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    return Path(os.environ.get("DSE_SCREENSHOTS", tmp_path))


def link(sweep: Sweep) -> str:
    assert sweep.mlflow_url
    return sweep.mlflow_url


def shown(trial: Trial) -> str:
    """How the cell of a trial's time begins: MLflow does not round it."""
    return str(trial.time_us)[:6]


def test_the_link_opens_the_runs_best_first_with_their_parameters(
    sweep: Sweep, page: Page, pictures: Path
) -> None:
    page.goto(link(sweep))
    for trial in sweep.trials(order_by="metrics.time_us", limit=3):
        page.get_by_role("gridcell", name=shown(trial)).first.wait_for()
        page.get_by_role("link", name=f"{trial.gpu} unroll={trial.parameters['unroll']}").first.wait_for()
    names = page.get_by_role("columnheader").all_inner_texts()
    assert {"gpu", "unroll", "block_size", "time_us", "speedup", "registers"} <= set(names)
    assert page.get_by_text(f"{TRIALS} matching runs").count() == 1
    page.screenshot(path=pictures / "mlflow-table.png")


def test_runs_that_are_selected_are_compared(sweep: Sweep, page: Page) -> None:
    page.goto(link(sweep))
    for name in CHOSEN:
        row = page.get_by_role("row").filter(has_text=name).get_attribute("row-id")
        page.locator(f"[row-id='{row}'] input[type=checkbox]").first.check()
    page.get_by_role("button", name="Compare").click()
    expect(page.get_by_text("Comparing 3 Runs")).to_be_visible()
    for name in CHOSEN:
        expect(page.get_by_text(name).first).to_be_attached()


def test_the_charts_are_parallel_coordinates_a_scatter_and_bars(
    sweep: Sweep, page: Page, pictures: Path
) -> None:
    page.goto(f"{link(sweep)}&compareRunsMode=CHART")
    page.locator(".scatterlayer .point").nth(TRIALS - 1).wait_for()
    page.locator(".barlayer .point").nth(TRIALS - 1).wait_for()
    chart = page.locator(".parcoords")
    chart.get_by_text("time_us").first.wait_for()
    assert all(chart.get_by_text(axis).count() for axis in ("gpu", "unroll", "block_size"))
    page.screenshot(path=pictures / "mlflow-charts.png")


def test_a_second_view_has_the_best_of_each_gpu(sweep: Sweep, page: Page) -> None:
    page.goto(f"{link(sweep)}-gpus")
    for gpu in ("a100-80gb", "h100-sxm"):
        expect(page.get_by_text(f"Group: {gpu}")).to_be_visible()


def test_each_gpu_has_a_view_of_its_own_by_time(sweep: Sweep, page: Page) -> None:
    page.goto(f"{link(sweep)}-gpu1")
    page.get_by_text(f"{TRIALS // 2} matching runs").wait_for()
    best = sweep.best()["h100-sxm"]
    page.locator("[row-index='0']").get_by_text(shown(best)).first.wait_for()
    assert page.get_by_role("link", name="a100-80gb").count() == 0


def test_the_pictures_of_the_sweep_are_shown(sweep: Sweep, page: Page, pictures: Path) -> None:
    root, experiment, run = re.findall(r"(.*)/experiments/(.*)/runs.*viewStateShareKey=(.*)", link(sweep))[0]
    page.goto(f"{root}/experiments/{experiment}/runs/{run}/artifacts?workflowType=machine_learning")
    page.get_by_text("plots").click()
    page.get_by_text("parameters.png").click()
    picture = page.get_by_alt_text("plots/parameters.png")
    expect(picture).to_be_visible()
    page.wait_for_function("image => image.naturalWidth > 0", arg=picture.element_handle())
    page.screenshot(path=pictures / "mlflow-files.png")
