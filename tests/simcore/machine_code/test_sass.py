"""The decoder says what NVIDIA's own disassembler says of every instruction, and loses no control bit."""

import re
import subprocess
import tempfile
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import pytest

from search_spaces import catalog_names, load_space
from simcore import compile_cuda, load_gpu, read_kernel
from simcore.machine_code.disassembler import nvdisasm
from simcore.machine_code.sass import NO_BARRIER, Control, Instruction, decode
from testing.silicon_data import measured, smallest_of_each

GPU_OF = {"sm_80": "a100-80gb", "sm_90": "h200", "sm_100": "b200"}
ARCHITECTURES = (*GPU_OF, "sm_120")
MAX_CODE_BYTES = 8192  # of a family's kernel, to keep this fast
# The plain listing: `/*0040*/  @!P0 BRA 0x90 ;  /* 0x... */`, and on the next line the upper half.
LISTED = re.compile(
    r"/\*(?P<address>[0-9a-f]{4,})\*/\s+(?P<text>[^;]*?)\s*;\s+"
    r"/\* 0x(?P<low>[0-9a-f]{16}) \*/\s+/\* 0x(?P<high>[0-9a-f]{16}) \*/"
)


def _compile(source: str, architecture: str, defines: Mapping[str, object], cap: int | None) -> bytes:
    gpu = load_gpu(GPU_OF.get(architecture, "b200"), architecture=architecture)
    return read_kernel(compile_cuda(source, gpu, defines, cap)).code


@cache
def _catalog_codes(architecture: str) -> tuple[bytes, ...]:
    """The machine code of the last point of every catalog kernel."""
    codes = []
    for name in catalog_names():
        space = load_space(name)
        *_, point = space.points()
        codes.append(_compile(space.source, architecture, space.defines(point), space.register_cap(point)))
    return tuple(codes)


@cache
def _family_codes() -> tuple[bytes, ...]:
    """The machine code of every fourth family; `benchmarks.simulator.encodings` checks all."""
    points = smallest_of_each(measured("families"), float("inf"))[::4]
    return tuple(code for p in points if len(code := read_kernel(p.cubin()).code) <= MAX_CODE_BYTES)


def _listing(code: bytes, architecture: str) -> list[tuple[int, str, int]]:
    """Address, text and word of each instruction, from the disassembler's plain listing."""
    target = architecture.replace("_", "").upper()
    with tempfile.NamedTemporaryFile(suffix=".bin") as file:
        file.write(code)
        file.flush()
        command = [str(nvdisasm()), "-hex", "--binary", target, file.name]
        text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return [
        (int(m["address"], 16), _with_commas(m["text"]), int(m["high"] + m["low"], 16))
        for m in LISTED.finditer(text)
    ]


def _with_commas(text: str) -> str:
    """The listing puts spaces after commas, and in place of one in RET and BRX, and one between the addresses of
    LDGSTS; the JSON does not."""
    parts = re.fullmatch(r"(@!?\w+ )?(\S+) ?(.*)", text)
    assert parts
    guard, name, operands = parts.groups("")
    between = "" if name.startswith("LDGSTS") else ","
    operands = re.sub(r"(?<=\]),(?=\[)", between, re.sub(r" *, *| +", ",", operands))
    return f"{guard}{name} {operands}".strip()


def _listings(codes: tuple[bytes, ...], architecture: str) -> list[list[tuple[int, str, int]]]:
    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(lambda code: _listing(code, architecture), codes))


def _assert_same(codes: tuple[bytes, ...], architecture: str) -> None:
    for code, listing in zip(codes, _listings(codes, architecture), strict=True):
        instructions = decode(code, architecture)
        assert len(instructions) == len(listing) == len(code) // 16
        for instruction, (address, text, word) in zip(instructions, listing, strict=True):
            assert instruction.address == address
            # The text leaves operand reuse to the scheduling bits.
            assert str(instruction) == text.replace(".reuse", "")
            assert instruction.word == word
            _assert_control(instruction, word)


def _assert_control(instruction: Instruction, word: int) -> None:
    """The scheduling bits, read from the word as a string of bits, most significant first."""
    bits = f"{word:0128b}"
    fields = re.fullmatch(r"..(....)(......)(...)(...)(.)(....).{105}", bits)
    assert fields
    reuse, wait, read, write, unyielding, stall = fields.groups()
    assert instruction.control == Control(
        stall=int(stall, 2),
        yields=unyielding == "0",
        write_barrier=int(write, 2),
        read_barrier=int(read, 2),
        wait_mask=int(wait, 2),
        reuse=int(reuse, 2),
    )


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_the_catalog_decodes_as_the_disassembler_lists_it(architecture: str) -> None:
    _assert_same(_catalog_codes(architecture), architecture)


def test_the_kernel_families_decode_as_the_disassembler_lists_them() -> None:
    assert len(_family_codes()) > 10
    _assert_same(_family_codes(), "sm_90")


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_the_compilers_schedule_is_read_sensibly(architecture: str) -> None:
    """A load sets a dependence counter, and something later waits for it."""
    for code in _catalog_codes(architecture):
        instructions = decode(code, architecture)
        loads = [i for i in instructions if i.opcode == "LDG"]
        assert all(i.control.write_barrier < 6 for i in loads)
        set_by_loads = {i.control.write_barrier for i in loads}
        waited = {b for i in instructions for b in range(6) if i.control.wait_mask >> b & 1}
        assert set_by_loads <= waited
        assert all(
            i.control.read_barrier == NO_BARRIER and i.control.write_barrier == NO_BARRIER
            for i in instructions
            if i.opcode == "FFMA"
        )


def test_operands_are_taken_apart() -> None:
    instructions = [i for code in _catalog_codes("sm_90") for i in decode(code, "sm_90")]
    address, value = next(i for i in instructions if i.opcode == "STG").operands
    assert address.kind == "address"
    assert address.descriptor is not None
    assert address.descriptor.kind == "uniform_register"
    assert address.base is not None
    assert address.base.suffixes == ("64",)
    assert value.kind == "register"
