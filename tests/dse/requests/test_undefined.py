"""A name that the source leaves undefined is told in the terms of the space, before the compiler's own words."""

from pathlib import Path

import pytest

from dse.errors import InputError
from dse.requests.preflight import check_space
from search_spaces import load_space
from simcore import CompileError

SOURCE = """extern "C" __global__ void copy(const float* x, float* y) {
    for (int k = 0; k < ITEMS; ++k) y[k * BLOCK_SIZE] = x[k * BLOCK_SIZE];
}"""
SPACE = """
kernel: copy
parameters: {items: [1, 2], threads: [64]}
gpu: [h200]
launch: {grid: 1, block: threads}
arguments:
  - {name: x, type: float32, elements: 1024}
  - {name: y, type: float32, elements: 1024}
"""


def _space(folder: Path, text: str) -> Path:
    (folder / "kernel.cu").write_text(SOURCE)
    (folder / "space.yaml").write_text(text)
    return folder


def test_a_macro_without_a_parameter_is_named(tmp_path: Path) -> None:
    with pytest.raises(
        CompileError,
        match=r"^nothing defines the macro BLOCK_SIZE: add a parameter block_size\nkernel\.cu does",
    ):
        check_space(load_space(_space(tmp_path, SPACE)))
    alike = SPACE.replace("threads: [64]", "blocksize: [64]").replace("block: threads", "block: blocksize")
    with pytest.raises(CompileError, match="add a parameter block_size, or rename blocksize\n"):
        check_space(load_space(_space(tmp_path, alike)))


def test_a_number_in_words_is_named(tmp_path: Path) -> None:
    words = SPACE.replace("[1, 2]", "[eight]").replace("threads: [64]", "block_size: [64]")
    space = load_space(_space(tmp_path, words.replace("block: threads", "block: block_size")))
    with pytest.raises(
        CompileError, match=r"^items = eight is a word, and kernel\.cu defines no eight; give a number"
    ):
        check_space(space)


def test_a_word_that_no_launch_can_use_is_not_blamed_on_others(tmp_path: Path) -> None:
    space = load_space(_space(tmp_path, SPACE)).override({"threads": ["eight"]})
    with pytest.raises(
        InputError, match=r"^no point can be launched, as items=1 threads=eight shows: launch\.block"
    ):
        check_space(space)
