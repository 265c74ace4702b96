"""A GPU's own record of a warp's lanes at each note of the programs of random control flow, which run as they are.

The instruction of each note that reads which lanes are there (VOTE) becomes one that reads something else, in one run
after another: a bit of the lanes' states, the stack, what the last branch left, a convergence barrier, the clock. An
atomic operation numbers the notes, lane by lane, so that none is written over. All runs take the same way.

    python -m benchmarks.simulator.random_flow.states bundle BUNDLE --programs 400   # no GPU needed; or --parts
    python -m benchmarks.simulator.random_flow.states run BUNDLE OUT                 # on the GPU: numpy, cuda-bindings
    python -m benchmarks.simulator.random_flow.states compare BUNDLE OUT             # warps in the GPU's order

OUT/states.npz has `warps` (seed, warp), how many notes each left (`length`), and of all notes of all warps one after
the other `place` and what was read, by name: each lane's note is one of them.
"""

import argparse
import io
import json
import lzma
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.simulator.random_flow.data import LANES, WARPS, inputs

GPU = "h100-sxm"
NOTES = 1 << 17
PLACES = {"stack": 28, "left": 23, "left_at": 21}
"""OPT_STACK, TRAP_RETURN_MASK and TRAP_RETURN_PC.LO, as BMOV numbers them."""
STATES = {f"state{bit}": 16 + bit for bit in range(5)}
BARRIERS = {f"b{number}": number for number in range(16)}
BMOV_READS = {**STATES, **PLACES, **BARRIERS}
READS = ("lanes", "clock", *BMOV_READS)

Words = NDArray[np.uint32]
Halves = NDArray[np.uint64]

_LOAD, _STORES, _VOTE = 0x984, (0x388, 0x988), 0x806
_OPCODE, _GUARD, _DESTINATION, _NO_REGISTER = 0xFFF, 0xF000, 0xFF0000, 0xFF
_BY_UNIFORM, _UNIFORM = 1 << 27, 0x3F
_WAITS, _LATE, _NOT_AT_ALL = 0x3F << 52, 5, 7
_WRITES, _READS = 46, 49
_BMOV, _CLOCK, _NOP = 0x355, 0x805, 0x918
_CLOCK_LOW, _STALL = 0x5000, 41
_COUNT = {
    "gpu": (0x38C, 0x98C, 0x0180_0000, 0, 1),
    "simulator": (0xF8C, 0xF8C, 0x0580_0000, _BY_UNIFORM | _UNIFORM, 0xFF),
}
"""ATOMS.INC up to R1, the stack's address, which is large on a GPU; ATOMS.POPC.INC, by which the simulator counts."""


def patched(code: bytes, texts: list[list[int]], read: str, where: str = "gpu") -> bytes:
    """Machine code, of which `texts` says where instructions are, with something else read at each note."""
    words = np.frombuffer(bytearray(code), np.uint64)
    for start, size in texts:
        text = words[start // 8 : (start + size) // 8]
        _number_notes(text[::2], text[1::2], where)
        if read != "lanes":
            _read(text[::2], text[1::2], read)
    return words.tobytes()


def _number_notes(low: Halves, high: Halves, where: str) -> None:
    """The load of the next note's number also adds one for each lane, and nothing is stored there."""
    by_register, by_uniform, form, no_uniform, operand = _COUNT[where]
    opcode, control = low & _OPCODE, high >> _STALL << _STALL
    stored = low >> 32 & 0xFF
    uniform = high & _BY_UNIFORM != 0
    loads = opcode == _LOAD
    stores = np.isin(opcode, _STORES) & (stored != _NO_REGISTER)
    others = low & ~np.uint64(0xFF << 32 | _OPCODE) | operand << 32
    low[loads] = (others | np.where(uniform, by_uniform, by_register).astype(np.uint64))[loads]
    high[loads] = (
        control | form | np.where(uniform, _BY_UNIFORM | stored & _UNIFORM, no_uniform).astype(np.uint64)
    )[loads]
    low[stores] = (low & _GUARD | _NOP)[stores]
    high[stores] = (control | _NOT_AT_ALL << _WRITES | _NOT_AT_ALL << _READS)[stores]


def _read(low: Halves, high: Halves, read: str) -> None:
    """All instructions wait for the BMOVs before them."""
    votes = low & _OPCODE == _VOTE
    into, waits = low[votes] & (_GUARD | _DESTINATION), high[votes] & _WAITS
    if read == "clock":
        low[votes] = into | _CLOCK
        high[votes] = waits | (_CLOCK_LOW | 15 << _STALL | _NOT_AT_ALL << _WRITES | _NOT_AT_ALL << _READS)
        return
    low[votes] = into | _BMOV | BMOV_READS[read] << 24
    high[votes] = waits | (2 << _STALL | _LATE << _WRITES | _NOT_AT_ALL << _READS)
    high |= np.uint64(1 << 52 + _LATE)


def _write_bundle(bundle: Path, programs: int, first: int, parts: bool) -> None:
    from elftools.elf.elffile import ELFFile

    from benchmarks.simulator.random_flow.generator import cuda, cuda_of_parts
    from benchmarks.simulator.random_programs.bundle import write_bundle

    write_bundle(bundle, first, programs, GPU, cuda_of_parts if parts else cuda)
    plan = json.loads((bundle / "plan.json").read_text())
    plan["texts"] = {}
    for name in plan["cubins"]:
        sections = ELFFile(io.BytesIO(lzma.decompress((bundle / name).read_bytes()))).iter_sections()
        texts = [s for s in sections if s.name.startswith(".text.")]
        plan["texts"][name] = [[s["sh_offset"], s["sh_size"]] for s in texts]
    (bundle / "plan.json").write_text(json.dumps(plan))


def _run(bundle: Path, out: Path) -> None:
    from cuda.bindings import driver

    from benchmarks.silicon.runner.device import Device, call, launch_once

    device, plan = Device(bundle), json.loads((bundle / "plan.json").read_text())
    left: dict[tuple[int, int], dict[str, Words]] = {}
    for name, seeds in plan["cubins"].items():
        code = lzma.decompress((bundle / name).read_bytes())
        for read in READS:
            module = call(driver.cuModuleLoadData, patched(code, plan["texts"][name], read))
            for seed in seeds:
                function = call(driver.cuModuleGetFunction, module, f"k{seed}".encode())
                for warp in range(WARPS):
                    notes = np.zeros((NOTES, 2), np.uint32)
                    launch_once(function, 1, LANES, [_input(seed, warp), notes])
                    notes = _left(notes)
                    of_warp = left.setdefault((seed, warp), {"place": notes[:, 0].copy()})
                    of_warp[read] = notes[:, 1].copy()
                    if (of_warp["place"] != notes[:, 0]).any():
                        raise SystemExit(
                            f"program {seed}, warp {warp} took another way where {read} was read"
                        )
            call(driver.cuModuleUnload, module)
    out.mkdir(parents=True, exist_ok=True)
    kept = {read: np.concatenate([notes[read] for notes in left.values()]) for read in ("place", *READS)}
    lengths = [len(notes["place"]) for notes in left.values()]
    np.savez_compressed(out / "states.npz", warps=np.array(list(left)), length=np.array(lengths), **kept)  # type: ignore[arg-type]
    print(f"{len(left)} warps on {device.description()}")


def _compare(bundle: Path, out: Path) -> None:
    measured = np.load(out / "states.npz")
    theirs = np.stack([measured["place"], measured["lanes"]], 1).astype(np.uint32)
    ends = measured["length"].cumsum()
    warps = [tuple(warp) for warp in measured["warps"].tolist()]
    parts = dict(zip(warps, np.split(theirs, ends[:-1]), strict=True))
    alike = 0
    for seed, warp in warps:
        ours = executed(bundle, seed, warp)
        alike += len(ours) == len(parts[seed, warp]) and bool((ours == parts[seed, warp]).all())
    print(f"{alike} of {len(warps)} warps note the same places by the same lanes in the GPU's order")


def executed(bundle: Path, seed: int, warp: int) -> Words:
    """The notes of a warp in the simulator: places, and the lanes there."""
    from simcore.execution import execute_prepared
    from simcore.session.request import LaunchRequest
    from simcore.session.session import prepare

    notes = np.zeros((NOTES, 2), np.uint32)
    request = LaunchRequest(
        cubin=_counting(bundle)[seed],
        kernel=f"k{seed}",
        grid=1,
        block=LANES,
        arguments=[_input(seed, warp), notes],
        gpu=GPU,
    )
    execute_prepared(prepare(request))
    return _left(notes)


@cache
def _counting(bundle: Path) -> dict[int, bytes]:
    """[seed] the machine code with the program, as the simulator counts its notes."""
    plan = json.loads((bundle / "plan.json").read_text())
    codes: dict[int, bytes] = {}
    for name, seeds in plan["cubins"].items():
        code = lzma.decompress((bundle / name).read_bytes())
        codes |= dict.fromkeys(seeds, patched(code, plan["texts"][name], "lanes", "simulator"))
    return codes


def _input(seed: int, warp: int) -> Words:
    """The words that the lanes of a warp read."""
    words: Words = inputs(seed).reshape(WARPS, LANES)[warp].copy()
    return words


def _left(notes: Words) -> Words:
    """The notes that there are: the others' place is zero."""
    return notes[: np.flatnonzero(notes[:, 0])[-1] + 1]


def main() -> None:
    """Do what is asked; GPU machines lack most packages, so each command imports its own."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("command", choices=["bundle", "run", "compare"])
    parser.add_argument("bundle", type=Path)
    parser.add_argument("out", type=Path, nargs="?", default=Path())
    parser.add_argument("--programs", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1, help="of the first program; the others follow")
    parser.add_argument("--parts", action="store_true", help="programs whose warps meet in parts")
    asked = parser.parse_args()
    match asked.command:
        case "bundle":
            _write_bundle(asked.bundle, asked.programs, asked.seed, asked.parts)
        case "run":
            _run(asked.bundle, asked.out)
        case "compare":
            _compare(asked.bundle, asked.out)


if __name__ == "__main__":
    main()
