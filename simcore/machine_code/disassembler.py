"""NVIDIA's own disassembler, from the `nvidia-cuda-nvdisasm` wheel: instruction words to guard, opcode and operands."""

import json
import re
import subprocess
import sysconfig
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from simcore.core.geometry import INSTRUCTION_BYTES
from simcore.errors import CubinError
from simcore.machine_code.encoding.form import Line

BASE = 1 << 40
"""Address of the first word: so large that no branch targets less than 0 and no immediate looks like a target."""

MAX_ATTEMPTS = 40
"""Runs of the disassembler on one list of words; each finds some of the words that are not instructions."""

_PLACE = re.compile(r"address (0x[0-9a-f]+)")
_TARGET = re.compile(r"(?:^|(?<=,))0x[0-9a-f]+$")


@cache
def nvdisasm() -> Path:
    """The disassembler that the `nvidia-cuda-nvdisasm` wheel installed."""
    site = Path(sysconfig.get_paths()["purelib"]) / "nvidia"
    found = sorted(site.glob("**/bin/nvdisasm"))
    if not found:
        raise CubinError(f"no nvdisasm under {site}; install the nvidia-cuda-nvdisasm package")
    return found[-1]


def disassemble(words: Sequence[int], architecture: str) -> list[Line | None]:
    """The text of each 128-bit word; None if it is not an instruction.

    Pass all words in one call: it takes 0.2 s plus some 30 microseconds per word.
    """
    lines: list[Line | None] = [None] * len(words)
    places = list(range(len(words)))
    for _ in range(MAX_ATTEMPTS):
        if not places:
            return lines
        run = _run([words[place] for place in places], architecture)
        if run.returncode == 0:
            (function,) = json.loads(run.stdout)[1]
            for index, line in enumerate(function["sass-instructions"]):
                lines[places[index]] = _line(line, BASE + index * INSTRUCTION_BYTES)
            return lines
        illegal = {(int(at, 16) - BASE) // INSTRUCTION_BYTES for at in _PLACE.findall(run.stderr)}
        if not illegal:
            raise CubinError(f"nvdisasm cannot read this {architecture} code: {run.stderr.strip()}")
        places = [place for index, place in enumerate(places) if index not in illegal]
    raise CubinError(f"nvdisasm keeps finding words that are not {architecture} instructions")


def _run(words: Sequence[int], architecture: str) -> "subprocess.CompletedProcess[str]":
    with tempfile.NamedTemporaryFile(suffix=".bin") as file:
        file.write(b"".join(word.to_bytes(INSTRUCTION_BYTES, "little") for word in words))
        file.flush()
        command = [str(nvdisasm()), "--emit-json", "--no-dataflow", "--base-address", hex(BASE)]
        command += ["--binary", architecture.replace("_", "").upper(), file.name]
        return subprocess.run(command, capture_output=True, text=True)


def _line(line: dict[str, Any], address: int) -> Line:
    """Convert a line of the disassembler's JSON; the target becomes relative."""
    guard, opcode, operands = line.get("predicate", ""), line["opcode"], line.get("operands", "")
    found = _TARGET.search(operands)
    if found and "control-flow" in line.get("other-attributes", {}) and int(found[0], 16) >= BASE // 2:
        return Line(guard, opcode, operands[: found.start()], int(found[0], 16) - address)
    return Line(guard, opcode, operands)
