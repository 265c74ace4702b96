"""The tables of forms say what NVIDIA's disassembler says, and leave to it what they do not cover."""

import json
import random
from pathlib import Path

import pytest

from benchmarks.simulator.encodings.corpus import architectures, words_of
from benchmarks.simulator.encodings.derive import uncovered, valid_words, wrong
from search_spaces import catalog_names, load_space
from simcore.errors import CubinError
from simcore.machine_code.disassembler import disassemble
from simcore.machine_code.encoding import load_table
from simcore.machine_code.encoding.form import Form
from simcore.machine_code.sass import decode

ARCHITECTURES = sorted(architectures())
FAMILIES = Path(__file__).parents[3] / "benchmarks" / "silicon" / "families"
MAX_UNCOVERED = 0.01
KERNELS = [
    "async_matmul",
    "tensor_core",
    "fp64_polynomial",
    "histogram",
    "interpreter",
    "half2_chain",
    "layer_norm",
]


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_words_of_real_kernels_are_read_as_the_disassembler_reads_them(architecture: str) -> None:
    table = load_table(architecture)
    spaces = [load_space(name) for name in catalog_names()] + [
        load_space(FAMILIES / name) for name in KERNELS
    ]
    words = sorted(words_of(spaces, architecture, points=1))
    assert len(words) > 500
    assert not wrong(table, words)
    # What is not covered is not wrong, but slow: the disassembler has to be started for it.
    assert len(uncovered(table, words)) <= MAX_UNCOVERED * len(words)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_words_with_any_operands_are_read_as_the_disassembler_reads_them(architecture: str) -> None:
    table = load_table(architecture)
    words = valid_words(table, 6000, random.Random(architecture))
    assert len(words) > 5000
    assert not wrong(table, words)


def _strangers(architecture: str) -> list[int]:
    """Legal words that no form covers, each a bit away from one that a form does."""
    table = load_table(architecture)
    words = valid_words(table, 40, random.Random(3))
    near = [word ^ 1 << bit for word in words for bit in range(72, 91)]
    unknown = [word for word in near if table.find(word) is None]
    return [word for word, line in zip(unknown, disassemble(unknown, architecture), strict=True) if line]


def test_words_without_a_form_are_the_disassemblers_to_read() -> None:
    words = _strangers("sm_90")[:20]
    assert len(words) == 20
    code = b"".join(word.to_bytes(16, "little") for word in words)
    said = disassemble(words, "sm_90")
    for instruction, line in zip(decode(code, "sm_90"), said, strict=True):
        assert line is not None
        assert instruction.name == line.opcode


def test_what_is_not_an_instruction_is_refused_with_its_address() -> None:
    words = [*valid_words(load_table("sm_90"), 3, random.Random(4)), 0xABC]
    code = b"".join(word.to_bytes(16, "little") for word in words)
    with pytest.raises(CubinError, match=f"{16 * (len(words) - 1):#x}"):
        decode(code, "sm_90")


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_a_form_is_kept_whole_in_its_file(architecture: str) -> None:
    for form in load_table(architecture):
        assert Form.from_json(json.loads(json.dumps(form.to_json()))) == form
