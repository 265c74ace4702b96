"""Loads, stores, atomics and constants: their queues and widths."""

from simcore.core import isa
from simcore.core.execution import memory, warp
from simcore.core.execution.memory import atomics, shared
from simcore.lowering.operands import RZ, parts, take_predicates
from simcore.lowering.packed import NO_REGISTER, Packed
from simcore.lowering.phases import arrive_before_sm90
from simcore.lowering.table import lowers
from simcore.machine_code.operands import Operand, parse_operand

CACHING = "E CONSTANT EF EL LU EU NA LTC64B LTC128B LTC256B STRONG WEAK MMIO PRIVATE CTA SM GPU SYS"
"""Cache policies and scopes. Loads that other SMs' stores must reach go past L1; otherwise the model's caches have one
policy."""

_SPACES = {
    "LDG": isa.SPACE_GLOBAL,
    "LD": isa.SPACE_GENERIC,
    "STG": isa.SPACE_GLOBAL,
    "ST": isa.SPACE_GENERIC,
    "LDS": isa.SPACE_SHARED,
    "STS": isa.SPACE_SHARED,
    "LDL": isa.SPACE_LOCAL,
    "STL": isa.SPACE_LOCAL,
}
_WIDTHS = {"U8": (1, 0), "S8": (1, 1), "U16": (2, 0), "S16": (2, 1), "64": (8, 0), "128": (16, 0)}
_QUAD = 4


def _width(p: Packed) -> tuple[int, int]:
    """Bytes per lane, and whether narrow values are sign-extended."""
    return p.choice(_WIDTHS, (4, 0))


def _words(width: int) -> int:
    """Number of registers for this many bytes."""
    return max(width // 4, 1)


def _address(p: Packed, operand: Operand, space: int) -> None:
    p.address(operand, space)
    p.set(unit=isa.UNIT_MIO if space == isa.SPACE_SHARED else isa.UNIT_LG)


@lowers(
    "LDG", "LD", "LDS", "LDL",
    operation=memory.LOAD, unit=isa.UNIT_LG, latency=isa.LATENCY_MEMORY, without_effect=CACHING,
)  # fmt: skip
def _load(p: Packed) -> None:
    if p.has("ENL2"):
        _load_two_quads(p)
        return
    out, destination, sources, _ = parts(p.instruction)
    space = _SPACES[p.instruction.opcode]
    width, signed = _width(p)
    p.set(width=width, signed=signed, past_l1=_past_l1(p))
    p.nothing(out)
    p.destination(destination, _words(width))
    _address(p, sources[0], space)
    p.reads_memory(space)


def _past_l1(p: Packed) -> int:
    """1 if a load goes past L1: `ld.cg`, volatile, relaxed and acquire ones of the GPU's or the system's scope."""
    return int(p.has("STRONG") and (p.has("GPU") or p.has("SYS")))


def _load_two_quads(p: Packed) -> None:
    """256 bits: the upper half's registers come first."""
    upper, lower, address = p.instruction.operands
    _two_quads(p, address)
    p.set(past_l1=_past_l1(p))
    p.destination(lower, _QUAD)
    p.second_destination(upper, _QUAD)
    p.reads_memory(_SPACES[p.instruction.opcode])


def _store_two_quads(p: Packed) -> None:
    """256 bits: the lower half's registers come first."""
    address, lower, upper = p.instruction.operands
    _two_quads(p, address)
    p.integers(lower, upper, words=(_QUAD, _QUAD))
    p.writes_memory(_SPACES[p.instruction.opcode])


def _two_quads(p: Packed, address: Operand) -> None:
    if not p.has("256"):
        raise p.refuse()
    p.set(width=2 * 4 * _QUAD)
    _address(p, address, _SPACES[p.instruction.opcode])


@lowers(
    "STG", "ST", "STS", "STL",
    operation=memory.STORE, unit=isa.UNIT_LG, latency=isa.LATENCY_MEMORY, without_effect=CACHING,
)  # fmt: skip
def _store(p: Packed) -> None:
    if p.has("ENL2"):
        _store_two_quads(p)
        return
    address, value = p.instruction.operands
    space = _SPACES[p.instruction.opcode]
    width, _ = _width(p)
    p.set(width=width)
    p.integers(value, words=(_words(width),))
    _address(p, address, space)
    p.writes_memory(space)


@lowers("LDC", "LDCU", operation=memory.LOAD_CONSTANT, unit=isa.UNIT_ADU, latency=isa.LATENCY_CONSTANT)
@lowers("ULDC", operation=memory.LOAD_CONSTANT, unit=isa.UNIT_UNIFORM)
def _ldc(p: Packed) -> None:
    destination, source = p.instruction.operands
    if source.kind != "constant" or (source.base and source.uniform):
        raise p.refuse()
    p.reads(source)
    width, signed = _width(p)
    p.set(width=width, signed=signed, space=isa.SPACE_CONSTANT, value=source.value, mode=source.index)
    p.destination(destination, _words(width))
    index = source.base or source.uniform or RZ
    if index.index == NO_REGISTER:
        p.constant(source)
    else:
        p.timed_by_result()  # by how many words its lanes ask for, and whether these are in a cache
    p.integers(index)


_LAYOUTS = {"M88": shared.AS_STORED, "MT88": shared.TRANSPOSED}


def _matrices(p: Packed) -> int:
    """How many matrices are moved; each is a word of every lane."""
    count = p.choice({"2": 2, "4": 4}, 1)
    p.set(width=4 * count, mode=p.choice(_LAYOUTS))
    return count


@lowers(
    "LDSM",
    operation=memory.LOAD_MATRIX,
    unit=isa.UNIT_MIO,
    latency=isa.LATENCY_MEMORY,
    without_effect="16",
    across_lanes=True,
)
def _ldsm(p: Packed) -> None:
    destination, address = p.instruction.operands
    count = _matrices(p)
    p.destination(destination, count)
    _address(p, address, isa.SPACE_SHARED)
    p.reads_memory(isa.SPACE_SHARED)


@lowers(
    "STSM",
    operation=memory.STORE_MATRIX,
    unit=isa.UNIT_MIO,
    latency=isa.LATENCY_MEMORY,
    without_effect="16",
    across_lanes=True,
)
def _stsm(p: Packed) -> None:
    address, source = p.instruction.operands
    count = _matrices(p)
    p.integers(source, words=(count,))
    _address(p, address, isa.SPACE_SHARED)
    p.writes_memory(isa.SPACE_SHARED)


@lowers(
    "LDGSTS",
    operation=memory.COPY_TO_SHARED,
    unit=isa.UNIT_LG,
    latency=isa.LATENCY_MEMORY,
    without_effect=CACHING,
)
def _ldgsts(p: Packed) -> None:
    target, source, *predicates = p.instruction.operands
    p.reads(target)
    width, _ = _width(p)
    p.set(width=width, mode=target.value, signed=shared.ZERO_FILL if p.has("ZFILL") else 0)
    p.set(past_l1=int(p.has("BYPASS")))
    p.integers(target.base or RZ, target.uniform or RZ)
    p.sources_are_addresses()
    p.predicates_in(predicates)
    p.addresses_under_predicates()
    _address(p, source, isa.SPACE_GLOBAL)
    p.reads_memory(isa.SPACE_GLOBAL)
    p.writes_memory(isa.SPACE_SHARED)


_UNSIGNED_ATOMICS = {
    "ADD": atomics.ADD,
    "MIN": atomics.UMIN,
    "MAX": atomics.UMAX,
    "AND": atomics.AND,
    "OR": atomics.OR,
    "XOR": atomics.XOR,
    "EXCH": atomics.EXCHANGE,
    "CAS": atomics.CAS,
    "CAST": atomics.CAST,
    "INC": atomics.INC,
    "DEC": atomics.DEC,
}
_SIGNED_ATOMICS = {"ADD": atomics.ADD, "MIN": atomics.MIN, "MAX": atomics.MAX}
_HALF_ATOMICS = {"ADD": atomics.ADD_F16X2, "MIN": atomics.MIN_F16X2, "MAX": atomics.MAX_F16X2}
_BFLOAT_ATOMICS = {"ADD": atomics.ADD_BF16X2, "MIN": atomics.MIN_BF16X2, "MAX": atomics.MAX_BF16X2}
_ATOMICS = {  # by type: bytes and operations
    "32": (4, _UNSIGNED_ATOMICS),
    "U32": (4, _UNSIGNED_ATOMICS),
    "S32": (4, _SIGNED_ATOMICS),
    "64": (8, _UNSIGNED_ATOMICS),
    "U64": (8, _UNSIGNED_ATOMICS),
    "S64": (8, _SIGNED_ATOMICS),
    "F32": (4, {"ADD": atomics.ADD_F32}),
    "F32x2": (8, {"ADD": atomics.ADD_F32}),
    "F32x4": (16, {"ADD": atomics.ADD_F32}),
    "F64": (8, {"ADD": atomics.ADD_F64}),
    "128": (16, {"CAS": atomics.CAS}),
    **{f"F16x{n}": (2 * n, _HALF_ATOMICS) for n in (2, 4, 8)},
    **{f"BF16x{n}": (2 * n, _BFLOAT_ATOMICS) for n in (2, 4, 8)},
}
_FLUSHED = {atomics.ADD_F32: atomics.ADD_F32_FLUSHED}
_ATOMIC_SPACES = {"ATOMS": isa.SPACE_SHARED, "ATOM": isa.SPACE_GENERIC}


@lowers(
    "ATOMS", "ATOMG", "ATOM", "RED", "REDG",
    operation=memory.ATOMIC, unit=isa.UNIT_LG, latency=isa.LATENCY_MEMORY,
    without_effect=f"{CACHING} RN SPIN",
)  # fmt: skip
def _atomic(p: Packed) -> None:
    if p.has("ARRIVE"):
        arrive_before_sm90(p)
        return
    operands = list(p.instruction.operands)
    out = take_predicates(operands)
    width, kinds = p.choice(_ATOMICS, _ATOMICS["U32"])
    if operands[0].kind != "address":
        p.destination(operands.pop(0), _words(width))
    address, *values = operands
    counts_lanes = p.has("POPC") and p.has("INC")
    kind = atomics.ADD if counts_lanes else p.choice(kinds)
    if counts_lanes:
        values = [parse_operand("0x1")]
    if p.has("FTZ"):
        kind = _FLUSHED[kind]
    p.set(mode=kind, width=width, counts_lanes=int(counts_lanes))
    is_partial = p.instruction.opcode == "ATOM" and any(o.text != "PT" for o in out)
    if kind == atomics.CAST or is_partial:
        p.predicates_out(out)
        p.set(signed=atomics.IN_GLOBAL_ONLY if kind != atomics.CAST else 0)
    else:
        p.nothing(out)
    p.integers(*values, words=(_words(width), _words(width)), pairs=3 if width == 8 else 0)
    space = _ATOMIC_SPACES.get(p.instruction.opcode, isa.SPACE_GLOBAL)
    _address(p, address, space)
    p.reads_memory(space)
    p.writes_memory(space)


@lowers(
    "QSPC",
    operation=warp.IN_SHARED,
    unit=isa.UNIT_MIO,
    latency=isa.LATENCY_SPECIAL_REGISTER,
    without_effect="E",
)
def _qspc(p: Packed) -> None:
    out, destination, address = p.instruction.operands
    if address.base is None or address.uniform:
        raise p.refuse()
    p.set(
        mode=p.choice({"S": warp.OF_BLOCK, "D": warp.OF_OTHER_BLOCK, "G": warp.OF_GRID}), value=address.value
    )
    p.reads(address)
    p.nothing([destination])
    p.predicates_out([out])
    p.integers(address.base, pairs=1)
