"""The pages for people: what they show, who may see them, and that they need no network."""

import re
import shutil
import subprocess
from collections.abc import Iterator
from functools import partial
from html.parser import HTMLParser
from pathlib import Path

import httpx
import pytest

from dse import Client
from dse.api import create_app
from dse.requests.preflight import CHECKS
from dse.runners.base import Evaluate
from dse.runners.inline import InlineRunner
from dse.service import LocalService
from dse.store import Store
from dse.tokens import create_token
from testing.serving import serving_app
from testing.small_space import SOURCE, SPACE

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
PAGES = (
    "/",
    "/sweeps/swept",
    "/sweeps/swept/report",
    "/compare?sweep=swept&sweep=queued",
    "/gpus",
    "/gpus/h100-sxm",
    "/gpus/ours",
    "/spaces",
    "/spaces/scan",
    "/spaces/mine",
)
PROFILE = """
name: ours
base: h100-sxm
label: {value: what if, unit: text, source: "a GPU that we wish for"}
sms: {value: 144, unit: SMs, source: "our wishes"}
"""
ANYWHERE = re.compile(r"""(?:src|href|action)="(?!/(?!/)|#)""")


class Cells(HTMLParser):
    """The texts of table cells."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.cells: list[str] = []
        self._inside = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "td":
            self.cells.append("")
        self._inside = self._inside or tag == "td"

    def handle_endtag(self, tag: str) -> None:
        self._inside = self._inside and tag != "td"

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.cells[-1] += data


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory, quick: Evaluate) -> Store:
    """A store with a sweep that has finished, one of which no trial completed, and a queued one."""
    folder = tmp_path_factory.mktemp("pages")
    (folder / "kernel.cu").write_text(SOURCE)
    (folder / "space.yaml").write_text(SPACE)
    client = Client(folder / "home", partial(InlineRunner, quick), tracking=False)
    client.submit(folder / "space.yaml", id="swept").wait()
    client.submit(folder / "space.yaml", id="vain", trials=2, parameters={"width": [2]}).wait()
    client.queue().submit(folder / "space.yaml", "h200", id="queued")
    client.upload_space(folder, "mine")
    (folder / "ours.yaml").write_text(PROFILE)
    client.upload_gpu(folder / "ours.yaml")
    assert isinstance(client.service, LocalService)
    return client.service.store


@pytest.fixture(scope="module")
def url(store: Store) -> Iterator[str]:
    """A server without tokens."""
    with serving_app(create_app(store, CHECKS)) as url:
        yield url


@pytest.fixture(scope="module")
def open_pages(url: str) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=url) as pages:
        yield pages


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """A server with a token, and its secret."""
    store = Store.open(tmp_path_factory.mktemp("guarded") / "dse.db")
    secret = create_token(store, "ann", ["admin"])
    with serving_app(create_app(store, CHECKS)) as url:
        yield url, secret


def test_tables_are_searched_without_scripts(open_pages: httpx.Client) -> None:
    hopper = Cells(open_pages.get("/gpus?q=sm_90+derived").text).cells
    assert "h100-pcie" in hopper
    assert not {"h100-sxm", "h200", "b200", "a10"} & set(hopper)
    caches = Cells(open_pages.get("/gpus/h100-sxm?q=l2").text).cells
    assert "l2_bytes" in caches
    assert "sms" not in caches
    assert "no row has all of these words" in open_pages.get("/spaces?q=nosuch").text.lower()
    assert "&lt;b&gt;" in open_pages.get("/gpus?q=<b>").text


def test_every_page_shows_its_tables_and_loads_nothing_from_elsewhere(open_pages: httpx.Client) -> None:
    wanted = {
        "/": ["swept", "scale", "finished"],
        "/sweeps/swept": [
            "unroll=8 width=4 block_size=512 register_cap=none",
            "CycleLimitExceeded",
            "1, 2, 4",
        ],
        "/sweeps/swept/report": ["portable, least worst slowdown"],
        "/compare?sweep=swept&sweep=queued": ["h100-sxm", "1.00x"],
        "/gpus": ["b200", "132", "ours", "what if"],
        "/gpus/h100-sxm": ["sms", "132", "SMs", "L2 capacity of the GPU", "NVIDIA H100 white paper: 50 MB"],
        "/gpus/ours": ["144", "our wishes", "as the h100-sxm: NVIDIA H100 white paper: 50 MB"],
        "/spaces": ["rsqrt_chain"],
        "/spaces/scan": ["method", "variant", "workload"],
        "/spaces/mine": ["unroll", "1, 2, 4", "swept", "queued"],
    }
    for path in PAGES:
        answer = open_pages.get(path)
        assert answer.status_code == 200, path
        assert set(wanted[path]) <= set(Cells(answer.text).cells), path
        assert not ANYWHERE.search(answer.text.partition("<script>")[0]), path
        assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert "what mma.sync reaches" in open_pages.get("/gpus").text
    assert '<a href="/sweeps/swept">' in open_pages.get("/sweeps/swept/report").text


def test_gpus_are_ordered_by_the_number_of_their_architecture(open_pages: httpx.Client) -> None:
    numbers = [int(number) for number in re.findall(r"<td>sm_(\d+)</td>", open_pages.get("/gpus").text)]
    assert (numbers, numbers[-1]) == (sorted(numbers), 120)


def test_a_list_without_sweeps_says_which_were_asked_for(open_pages: httpx.Client) -> None:
    stopped = open_pages.get("/?state=stopped").text
    assert "No sweep is stopped." in stopped
    assert '<a href="/?state=stopped" aria-current="true">' in stopped
    assert "No sweep yet" not in stopped


def test_lists_lead_to_each_gpu_and_space(open_pages: httpx.Client) -> None:
    for path in ("/gpus", "/spaces"):
        names = re.findall(rf'<a href="{path}/([^"]+)">', open_pages.get(path).text)
        assert names
        assert all(open_pages.get(f"{path}/{name}").status_code == 200 for name in names)


def test_a_space_is_shown_with_its_source_and_what_its_author_says(open_pages: httpx.Client) -> None:
    scan, mine = (open_pages.get(f"/spaces/{name}").text for name in ("scan", "mine"))
    assert "What it shows: steps, work and barriers." in scan
    assert "__global__ void scan(" in scan
    assert "<h2>Latest sweeps of scale</h2>" in mine
    assert "<h2>kernel.cu</h2>" in mine


def test_a_sweep_says_what_its_best_gain_what_limits_them_and_why_others_failed(
    open_pages: httpx.Client,
) -> None:
    text = open_pages.get("/sweeps/swept").text
    assert "Minimize time_us; exhaustive search of every valid point on a100-80gb, h100-sxm;" in text
    assert "<h2>Ties, and which variant to take</h2>" in text
    cells = Cells(text).cells
    assert any(re.fullmatch(r"\d+\.\d\dx", cell) for cell in cells)
    assert any(re.fullmatch(r"\d+ of \d+", cell) for cell in cells)
    assert any(cell.startswith(("a100-80gb unroll=", "h100-sxm unroll=")) for cell in cells)  # a failed one
    compared = open_pages.get("/compare?sweep=swept&sweep=queued").text
    assert "<h1>swept and queued compared</h1>" in compared
    assert "times as fast as swept" in compared
    assert "Without a complete trial: queued." in compared


def test_a_sweep_of_which_all_trials_failed_is_told_from_others(open_pages: httpx.Client) -> None:
    for path in ("/", "/sweeps/vain"):
        assert re.search('class="failed">[a-z]+, all trials failed<', open_pages.get(path).text), path
    assert 'class="finished">finished<' in open_pages.get("/sweeps/swept").text


def test_a_wrong_address_leads_a_browser_back_and_is_a_problem_for_others(open_pages: httpx.Client) -> None:
    shown = open_pages.get("/nowhere", headers={"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"})
    assert (shown.status_code, "There is no page /nowhere here." in shown.text) == (404, True)
    assert '<a href="/">All sweeps</a>' in shown.text
    refused = open_pages.get("/nowhere")
    assert (refused.status_code, refused.json()["status"]) == (404, 404)
    assert refused.headers["content-type"] == "application/problem+json"


def test_a_page_is_renewed_as_long_as_something_runs(open_pages: httpx.Client) -> None:
    assert "<main data-live>" in open_pages.get("/").text
    assert "data-live" not in open_pages.get("/?state=finished").text
    assert 'http-equiv="refresh"' in open_pages.get("/sweeps/queued").text
    assert open_pages.get("/static/live.js").status_code == 200


def test_what_cannot_be_shown_is_a_page_too(open_pages: httpx.Client) -> None:
    for path, status, said in (
        ("/sweeps/nobody", 404, "nobody"),
        (
            "/gpus/h100-smx",
            404,
            "no GPU named &#39;h100-smx&#39;; did you mean &#39;h100-sxm&#39;? (there are a10, ",
        ),
        ("/spaces/nosuch", 404, "no space"),
        ("/compare?sweep=swept", 422, "mark two sweeps or more"),
        ("/?stat=running", 422, "did you mean"),
        ("/?state=done", 422, "state: must be &#39;queued&#39;, "),
    ):
        answer = open_pages.get(path)
        assert (answer.status_code, answer.headers["content-type"]) == (status, "text/html; charset=utf-8")
        assert said in answer.text


def test_a_person_signs_in_and_out(guarded: tuple[str, str]) -> None:
    url, secret = guarded
    with httpx.Client(base_url=url) as pages:
        refused = pages.get("/?state=running")
        assert (refused.status_code, refused.headers["location"]) == (
            303,
            "/sign-in?next=%2F%3Fstate%3Drunning",
        )
        assert 'value="/?state=running"' in pages.get(refused.headers["location"]).text
        assert "not known here" in pages.post("/sign-in", data={"token": "dse_wrong"}).text
        signed = pages.post("/sign-in", data={"token": secret, "next": "/gpus"})
        assert (signed.status_code, signed.headers["location"]) == (303, "/gpus")
        assert {"HttpOnly", "SameSite=lax"} <= set(signed.headers["set-cookie"].split("; "))
        assert "ann" in pages.get("/gpus").text
        assert pages.get("/openapi.json").status_code == 200
        assert pages.delete("/api/v1/spaces/ours").status_code == 401  # a cookie changes nothing
        pages.post("/sign-out")
        assert pages.get("/").status_code == 303


def test_a_revoked_token_is_called_revoked(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "dse.db")
    bearer = {"Authorization": f"Bearer {create_token(store, 'ann', ['read'])}"}
    with serving_app(create_app(store, CHECKS)) as url:
        assert httpx.get(f"{url}/api/v1/gpus", headers=bearer).status_code == 200
        store.revoke_token("ann")
        refused = httpx.get(f"{url}/api/v1/gpus", headers=bearer)
    assert refused.status_code == 401
    assert refused.json()["detail"].startswith("this token is revoked; `dse token create NAME` creates one")


@pytest.mark.parametrize("target", ["https://evil.example", "//evil.example", "/\\evil.example", "evil"])
def test_signing_in_leads_nowhere_else(guarded: tuple[str, str], target: str) -> None:
    url, secret = guarded
    assert httpx.post(f"{url}/sign-in", data={"token": secret, "next": target}).headers["location"] == "/"
    foreign = {"Origin": "https://evil.example"}
    assert httpx.post(f"{url}/sign-in", data={"token": secret}, headers=foreign).status_code == 403


def test_a_cookie_of_long_ago_is_no_obstacle(open_pages: httpx.Client) -> None:
    assert open_pages.get("/", headers={"Cookie": "dse_token=dse_old"}).status_code == 200


def test_the_documentation_without_scripts_says_where_it_is(open_pages: httpx.Client) -> None:
    page = open_pages.get("/docs").text
    assert '<noscript>This page needs scripts; <a href="/openapi.json">' in page
    assert '<a href="/"' in page


@pytest.mark.skipif(CHROMIUM is None, reason="no browser")
def test_a_browser_without_a_network_shows_the_documentation(url: str, tmp_path: Path) -> None:
    options = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path}"]
    options += ["--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1", "--virtual-time-budget=5000"]
    command = [str(CHROMIUM), *options, "--dump-dom", f"{url}/docs"]
    shown = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout
    assert "Authorize" in shown
    assert "/front" in shown
