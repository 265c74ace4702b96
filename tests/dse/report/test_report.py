"""The report of a sweep and its figures."""

import json
import re
import shutil
from dataclasses import replace
from functools import partial
from html.parser import HTMLParser
from pathlib import Path

import pytest
from matplotlib.image import imread
from playwright.sync_api import Locator

from dse import Client, Sweep
from dse.answers.traffic import limit_in_words
from dse.errors import InputError
from dse.evaluation.tasks import Outcome, Task
from dse.report.pictures import made_folder, write_pictures
from dse.report.plots import FIGURES
from dse.report.templates import STYLE
from dse.report.theme import COLOURS
from dse.runners.base import Evaluate
from dse.runners.inline import InlineRunner
from search_spaces import Value
from testing.browser import Page as Browsed
from testing.browser import open_browser
from testing.small_space import SOURCE, SPACE

GPUS = ["a100-80gb", "h100-sxm"]
MOST_BYTES = 10_000_000
#: What WCAG 2.1 asks of what must be seen in a figure (1.4.11, non-text contrast).
LEAST_CONTRAST = 3.0


class Page(HTMLParser):
    """What a page refers to, its table cells, and the JSON of its figures."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.references: list[str] = []
        self.cells: list[str] = []
        self.figures: dict[str, dict[str, list[object]]] = {}
        self.text = path.read_text()
        self._inside = ""
        self._figure: str | None = None
        self.feed(self.text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        self._inside = tag
        self._figure = named.get("id") if named.get("type") == "application/json" else None
        self.references += [str(named[name]) for name in ("src", "href") if name in named]
        if tag == "td":
            self.cells.append("")

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside == "td":
            self.cells[-1] += data
        if self._inside == "script" and self._figure:
            self.figures[self._figure.removesuffix("-figure")] = json.loads(data)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the small space, with two objectives."""
    folder = tmp_path_factory.mktemp("report")
    (folder / "kernel.cu").write_text(SOURCE)
    two = "[minimize time_us, maximize warp_instructions]"
    (folder / "space.yaml").write_text(SPACE.replace("[minimize time_us]", two))
    return folder


@pytest.fixture(scope="module")
def client(folder: Path, quick: Evaluate) -> Client:
    """A client whose evaluation counts traffic, too; at unroll 8, the best, L2 holds all."""

    def evaluate(task: Task) -> Outcome:
        outcome = quick(task)
        dram_bytes = 0 if task.defines["UNROLL"] == 8 else 4096
        return replace(outcome, metrics={**outcome.metrics, "dram_bytes": dram_bytes, "l2_bytes": 8192})

    return Client(folder / "home", partial(InlineRunner, evaluate), tracking=False)


@pytest.fixture(scope="module")
def swept(client: Client, folder: Path) -> Sweep:
    metrics = {"rate": "unroll / time_us"}
    return client.submit(folder / "space.yaml", GPUS, id="swept", metrics=metrics).wait()


def test_the_report_is_one_file_without_a_network(swept: Sweep, tmp_path: Path) -> None:
    path = swept.report(tmp_path / "report.html")
    page = Page(path)
    assert all(reference.startswith("#") for reference in page.references)
    assert path.stat().st_size < MOST_BYTES
    # The occupancy is always the same, one variant is the best everywhere, and all were tried.
    assert set(page.figures) == set(FIGURES) - {"heat_map", "portability", "progress", "hypervolume"}
    assert all(figure["data"] for figure in page.figures.values())
    assert "prefers-color-scheme: dark" in page.text
    assert "@media print" in page.text


def test_its_tables_are_there_without_scripts(swept: Sweep, tmp_path: Path) -> None:
    cells = Page(swept.report(tmp_path / "report.html")).cells
    best = swept.winners()[0]
    for cell in (
        "unroll=8 width=4 block_size=512 register_cap=none",
        f"{best.ties} of {best.complete}",
        f"{swept.speedup(best.trial):.2f}x",
        limit_in_words(best.trial),
        "2.00x",  # the GPU against the first
        best.tried,
        f"{best.trial.user_metrics['rate']:,.4g}",
        best.common,
        "portable, least worst slowdown",
        "CycleLimitExceeded",
        "width 2 never ends",
        "kernel.cu:6",
        "1, 2, 4, 8, 16",
    ):
        assert cell in cells


@pytest.mark.parametrize("name", FIGURES)
def test_each_figure_is_drawn_in_a_notebook(swept: Sweep, name: str) -> None:
    figure = getattr(swept.plot, name)()
    assert figure.data or name == "heat_map"
    assert figure.layout.title.text


def luminance(colour: str) -> float:
    """The relative luminance of `#rrggbb`, as WCAG 2 defines it."""
    channels = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def test_marks_stand_out_on_the_light_and_the_dark_page() -> None:
    papers = re.findall("--paper: (#[0-9a-f]{6})", STYLE)
    assert len(papers) == 2
    assert min(contrast(colour, paper) for colour in COLOURS for paper in papers) >= LEAST_CONTRAST


@pytest.mark.parametrize("name", ["parameters", "roofline", "sizes", "front"])
def test_each_mark_has_a_ring_in_the_colour_of_its_legend(swept: Sweep, name: str) -> None:
    data = getattr(swept.plot, name)().data
    marks = [trace.marker for trace in data if trace.mode == "markers"]
    assert marks
    assert all(mark.line.color in COLOURS for mark in marks)
    assert all(trace.opacity is None for trace in data)


def test_a_table_that_is_cut_off_has_a_shade_at_that_edge(swept: Sweep, tmp_path: Path) -> None:
    page_file = swept.report(tmp_path / "report.html")
    with open_browser(width=700) as page:
        page.set_content(page_file.read_text())
        table = page.locator("#winners .wide")
        assert table.evaluate("box => box.scrollWidth > box.clientWidth")
        cut, whole = (shaded(table, tmp_path, end) for end in ("0", "box.scrollWidth"))
        assert (cut, whole) == ((False, True), (True, False))


def shaded(table: Locator, folder: Path, place: str) -> tuple[bool, bool]:
    """Whether the left and the right edge of a table are shaded once it is scrolled to a place."""
    table.evaluate(f"box => {{ box.scrollLeft = {place} }}")
    table.screenshot(path=folder / "table.png")
    pixels = imread(folder / "table.png")[..., :3]
    is_dark = (pixels < pixels.max(axis=(0, 1))).any(axis=2)
    left, right = (bool(is_dark[:, column].mean() > 0.9) for column in (1, -2))  # text and lines take less
    return left, right


def test_figures_show_what_was_simulated(swept: Sweep) -> None:
    matrix = swept.plot.portability().data[0]
    assert [list(row) for row in matrix.z] == [[0, 0]] * 4
    shares = {bar.name: dict(zip(bar.y, bar.x, strict=True)) for bar in swept.plot.importances().data}
    assert set(shares) == set(GPUS)
    assert max(shares["h100-sxm"], key=lambda name: shares["h100-sxm"][name]) == "unroll"
    best = [line for line in swept.plot.parameters().data if line.mode == "lines+markers"]
    assert len(best) == 4 * len(GPUS)
    assert {min(line.y) for line in best} == {1.0}
    stalls = swept.plot.stalls().data
    assert {bar.name for bar in stalls} == {"selected", "long_scoreboard", "wait"}


def test_each_workload_has_its_own_line(client: Client, folder: Path, tmp_path: Path) -> None:
    shutil.copy(folder / "kernel.cu", tmp_path)
    (tmp_path / "space.yaml").write_text((folder / "space.yaml").read_text() + "workload: width\n")
    sweep = client.submit(tmp_path / "space.yaml", GPUS).wait()
    lines = [line for line in sweep.plot.parameters().data if line.mode == "lines+markers"]
    assert {line.name for line in lines} == {f"{gpu} width={width}" for gpu in GPUS for width in (1, 4)}
    assert {min(line.y) for line in lines} == {1.0}  # relative to the best of its own workload


def test_the_front_and_the_roofline(swept: Sweep) -> None:
    front = swept.front()
    assert {trial.gpu for trial in front} == set(GPUS)
    h100 = [trial for trial in front if trial.gpu == "h100-sxm"]
    assert [trial.parameters["unroll"] for trial in h100] == [8, 16]
    lines = [line for line in swept.plot.front().data if line.mode == "lines+markers"]
    assert [list(line.y) for line in lines][1] == [trial.time_us for trial in h100]
    shares = swept.plot.hypervolume().data
    assert {line.name for line in shares} == set(GPUS)
    assert all(list(line.y) == sorted(line.y) and line.y[-1] == 1 for line in shares)
    roof = [line for line in swept.plot.roofline().data if line.mode == "lines" and line.name == "h100-sxm"]
    assert max(roof[0].y) <= 132 * 4 * 2  # schedulers, at less than 2 GHz
    assert roof[0].y[0] < roof[0].y[-1]


def test_the_roofline_says_which_trials_have_no_mark(swept: Sweep, tmp_path: Path) -> None:
    text = Page(swept.report(tmp_path / "report.html")).text
    among = "the best on a100-80gb, h100-sxm among them"
    assert re.search(rf"\d+ of \d+ trials have no DRAM traffic, so no mark there, {among}\.", text)
    assert "have no L2 traffic" not in text


@pytest.mark.skipif(not shutil.which("chromium") and not shutil.which("google-chrome"), reason="no browser")
def test_a_figure_is_a_picture(swept: Sweep, tmp_path: Path) -> None:
    figure = swept.plot.stalls()
    (path,) = write_pictures({"stalls": figure}, made_folder(tmp_path / "pictures"))
    assert path.name == "stalls.png"
    content = path.read_bytes()
    assert content.startswith(b"\x89PNG")
    width, height = (int.from_bytes(content[at : at + 4], "big") for at in (16, 20))
    assert (width, height) == (2 * 1000, 2 * figure.layout.height)


def test_figures_fit_the_printed_page(swept: Sweep, tmp_path: Path) -> None:
    path = swept.report(tmp_path / "report.html")

    def widths(page: Browsed) -> set[str | None]:
        return {each.get_attribute("width") for each in page.locator(".main-svg").all()}

    with open_browser(width=1200) as page:
        page.set_content(path.read_text())
        on_screen = widths(page)
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert widths(page) == {"690"} != on_screen
        page.evaluate("dispatchEvent(new Event('afterprint'))")
        page.wait_for_function("document.querySelector('.main-svg').clientWidth > 1000")
        assert widths(page) == on_screen


def test_a_sweep_on_its_way_says_so(client: Client, folder: Path, tmp_path: Path) -> None:
    queued = client.queue().submit(folder / "space.yaml", GPUS[:1], id="queued")
    page = Page(queued.report(tmp_path / "report.html"))
    assert "64, 128, 256, 512" in page.cells  # what was asked for
    assert re.search("is queued, and 0 of 96 trials are done: none is complete", page.text)
    assert not page.figures
    with pytest.raises(InputError, match="no complete trial yet"):
        queued.plot.winners()


def test_a_single_point_is_reported_and_texts_are_no_markup(folder: Path, tmp_path: Path) -> None:
    def evaluate(task: Task) -> Outcome:
        if task.gpu == "h200":
            return Outcome.failure(task.point_hash, "LaunchError", "<script>boom</script>", final=True)
        return Outcome(
            task.point_hash, "complete", metrics={"time_us": 2.0, "warp_instructions": 9, "label": "derived"}
        )

    client = Client(tmp_path / "home", partial(InlineRunner, evaluate), tracking=False)
    point: dict[str, list[Value]] = {"unroll": [4], "width": [4], "block_size": [64], "register_cap": [None]}
    sweep = client.submit(folder / "space.yaml", ["h100-sxm", "h200"], parameters=point).wait()
    page = Page(sweep.report(tmp_path / "report.html"))
    assert "no complete trial on h200 yet, so no variant is known to be portable" in page.text
    assert "1 of 1" in page.cells
    assert "<script>boom</script>" in page.cells
    assert "<script>boom" not in page.text


def test_a_path_that_cannot_be_written_is_refused(swept: Sweep, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"there is no folder .*missing; create it"):
        swept.report(tmp_path / "missing" / "report.html")
    with pytest.raises(InputError, match="is a folder; name a file in it"):
        swept.report(tmp_path)
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="cannot be created: File exists; name another folder"):
        swept.plot.save(tmp_path / "file")
