"""NVIDIA's own disassembler, from the `nvidia-cuda-nvdisasm` wheel: machine code to predicate, opcode and operands."""

import hashlib
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
from simcore.paths import cache_directory, write_atomically


def disassemble(codes: Sequence[bytes], architecture: str) -> list[list[dict[str, Any]]]:
    """The disassembler's JSON for several pieces of code, cached on disk by content.

    All that is not cached goes through one call, because a call costs 0.2 s whatever its size.
    """
    entries = [cache_directory("sass") / f"{_content_key(code, architecture)}.json" for code in codes]
    missing = {entry: code for entry, code in zip(entries, codes, strict=True) if not entry.exists()}
    if missing:
        for entry, lines in zip(missing, _run_nvdisasm(list(missing.values()), architecture), strict=True):
            write_atomically(entry, json.dumps(lines).encode())
    return [json.loads(entry.read_bytes()) for entry in entries]


@cache
def nvdisasm() -> Path:
    """The disassembler that the `nvidia-cuda-nvdisasm` wheel installed."""
    site = Path(sysconfig.get_paths()["purelib"]) / "nvidia"
    found = sorted(site.glob("**/bin/nvdisasm"))
    if not found:
        raise CubinError(f"no nvdisasm under {site}; install the nvidia-cuda-nvdisasm package")
    return found[-1]


def _content_key(code: bytes, architecture: str) -> str:
    return hashlib.sha256(f"{architecture}\0{nvdisasm()}\0".encode() + code).hexdigest()


def _run_nvdisasm(codes: Sequence[bytes], architecture: str) -> list[list[dict[str, Any]]]:
    with tempfile.NamedTemporaryFile(suffix=".bin") as file:
        file.write(b"".join(codes))
        file.flush()
        target = architecture.replace("_", "").upper()
        run = subprocess.run(
            [nvdisasm(), "--emit-json", "--binary", target, file.name], capture_output=True, text=True
        )
    if run.returncode:
        raise CubinError(f"nvdisasm cannot read this {architecture} code: {run.stderr.strip()}")
    (function,) = json.loads(run.stdout)[1]
    lines = function["sass-instructions"]
    pieces, start = [], 0
    for code in codes:
        count = len(code) // INSTRUCTION_BYTES
        pieces.append([_rebase(line, start * INSTRUCTION_BYTES) for line in lines[start : start + count]])
        start += count
    return pieces


def _rebase(line: dict[str, Any], base: int) -> dict[str, Any]:
    """Make branch targets relative to the piece's own start."""
    control_flow = "control-flow" in line.get("other-attributes", {})
    operands = line.get("operands", "")
    if control_flow and base:
        operands = re.sub(
            r"(^|,)(0x[0-9a-f]+)$", lambda m: f"{m[1]}{max(int(m[2], 16) - base, 0):#x}", operands
        )
    return {"predicate": line.get("predicate", ""), "opcode": line["opcode"], "operands": operands}
