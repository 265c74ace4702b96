"""The published figures: each has its source, a GPU that is known and a kernel that measures it; units and reports."""

import re
from inspect import signature

import numpy as np
import pytest

from benchmarks.published.figures import Figure, Source, figures_of, gpus, sources
from benchmarks.published.latencies import LINE_BYTES, ring
from benchmarks.published.recipes import RECIPES, predict
from benchmarks.published.report import Compared, page, reason, shares
from benchmarks.published.runs import KERNELS, Took
from benchmarks.published.units import UNITS
from simcore import gpu_names
from simcore.model.launch import FIRST_ADDRESS

FIGURES = [figure for gpu in gpus() for figure in figures_of(gpu)]


@pytest.mark.parametrize("gpu", gpus())
def test_every_figure_has_a_source_a_known_gpu_and_a_kernel(gpu: str) -> None:
    assert gpu in gpu_names()
    for figure in figures_of(gpu):
        assert figure.value > 0
        assert figure.unit in UNITS
        assert figure.source.title
        assert figure.source.url.startswith("https://")
        assert figure.where
        assert figure.conditions
        signature(RECIPES[figure.recipe]).bind(gpu, **figure.parameters)


def test_every_source_is_used() -> None:
    assert {figure.source for figure in FIGURES} == set(sources().values())


def test_every_recipe_is_used() -> None:
    assert {figure.recipe for figure in FIGURES} == set(RECIPES)


def test_every_kernel_is_run_by_a_recipe() -> None:
    code = "".join(path.read_text() for path in KERNELS.parent.glob("*.py"))
    assert set(re.findall(r'kernel\("(\w+)"', code)) == {path.stem for path in KERNELS.glob("*.cu")}


def test_units() -> None:
    took = Took(cycles=100, time_us=0.05, work=6400, sms=2)
    assert UNITS["B/clk/SM"](took) == 32
    assert UNITS["GB/s"](took) == 128
    assert UNITS["TFLOPS"](took) == pytest.approx(0.256)
    chain = Took(cycles=100, time_us=0.05, work=25)
    assert UNITS["cycles"](chain) == 4
    assert UNITS["ns"](chain) == pytest.approx(2)


@pytest.mark.parametrize("indexed", [False, True])
def test_a_ring_leads_through_all_its_lines_and_back(indexed: bool) -> None:
    table = ring(64, 64, indexed)
    words = LINE_BYTES // table.itemsize
    place, seen = 0, []
    for _ in range(64):
        seen.append(place)
        onward = int(table[place * words])
        place = onward // words if indexed else (onward - FIRST_ADDRESS) // LINE_BYTES
    assert place == 0
    assert sorted(seen) == list(range(64))


def test_a_rate_that_the_profile_states_comes_back() -> None:
    figure = Figure(
        "h200", "FP32 FMA rate", 128, "results/clk/SM", "pipe", SOURCE, "", "", {"operation": "FFMA"}
    )
    assert predict(figure) == pytest.approx(128, rel=0.05)


SOURCE = Source("a paper", "https://example.org")


def test_shares_tell_measured_from_stated_and_explained_from_not() -> None:
    stated = Source("a guide", "https://example.org", stated=True)
    compared = [
        Compared(Figure("h200", "near", 100, "ns", "chase", SOURCE, "", ""), 109.0),
        Compared(Figure("h200", "far", 100, "ns", "chase", SOURCE, "", "", differs="as is said"), 111.0),
        Compared(Figure("h200", "stated", 100, "ns", "chase", stated, "", ""), 80.0),
    ]
    share = shares(compared)[-1]
    assert (share.figures, share.near, share.measured, share.measured_near) == (3, 1, 2, 1)
    assert share.unexplained == 1
    assert "as is said" in reason(compared[1])
    assert "**1.11**" in page(compared)


def test_nothing_that_is_far_on_the_page_is_without_a_reason() -> None:
    written = (KERNELS.parents[2] / "docs" / "published.md").read_text()
    assert "not explained." not in written
    assert np.all([figure.conditions in written for figure in FIGURES])
