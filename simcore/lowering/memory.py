"""Loads, stores, atomics and constants; which queue they take and how wide they are."""

from simcore.core import isa
from simcore.lowering.operands import parts, take_predicates
from simcore.lowering.program import Packed, UnpackableError
from simcore.lowering.table import lowers
from simcore.machine_code.operands import Operand, parse_operand
from simcore.machine_code.sass import Instruction

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


def _width(i: Instruction) -> tuple[int, int]:
    """Bytes a lane, and whether narrow values are sign-extended."""
    return next((_WIDTHS[m] for m in i.modifiers if m in _WIDTHS), (4, 0))


def _memory_unit(space: int) -> int:
    return isa.UNIT_MIO if space == isa.SPACE_SHARED else isa.UNIT_LG


def _address(p: Packed, operand: Operand, space: int) -> None:
    if operand.kind != "address":
        raise UnpackableError(str(operand))
    p.address(operand, default_64=space in (isa.SPACE_GLOBAL, isa.SPACE_GENERIC))
    p.set(space=space, unit=_memory_unit(space))


@lowers("LDG", "LD", "LDS", "LDL", unit=isa.UNIT_LG, latency=isa.LATENCY_MEMORY)
def _load(p: Packed, i: Instruction) -> None:
    out, destination, sources, _ = parts(i)
    width, signed = _width(i)
    p.set(operation=isa.LOAD, width=width, signed=signed)
    p.predicates_out(out)
    p.destination(destination, max(width // 4, 1))
    _address(p, sources[0], _SPACES[i.opcode])


@lowers("STG", "ST", "STS", "STL", unit=isa.UNIT_LG, latency=isa.LATENCY_MEMORY)
def _store(p: Packed, i: Instruction) -> None:
    address, value = i.operands
    width, _ = _width(i)
    p.set(operation=isa.STORE, width=width)
    p.integers(value)
    _address(p, address, _SPACES[i.opcode])


_CONSTANT_WIDTHS = {1: 1, 2: 1, 4: 1, 8: 2, 16: 4}


@lowers("LDC", "LDCU", unit=isa.UNIT_MIO, latency=isa.LATENCY_CONSTANT)
def _ldc(p: Packed, i: Instruction) -> None:
    destination, source = i.operands
    width, signed = _width(i)
    if source.kind != "constant":
        raise UnpackableError(str(source))
    p.set(operation=isa.LOAD_CONSTANT, width=width, signed=signed, space=isa.SPACE_CONSTANT)
    p.destination(destination, _CONSTANT_WIDTHS[width])
    index = source.base or source.uniform or parse_operand("RZ")
    if index.index == 255:
        p.constant(source)
    p.integers(index)
    p.set(value=source.value, mode=source.index)


@lowers("ULDC", unit=isa.UNIT_UNIFORM)
def _uldc(p: Packed, i: Instruction) -> None:
    _ldc(p, i)


@lowers("LDSM", unit=isa.UNIT_MIO, latency=isa.LATENCY_MEMORY)
def _ldsm(p: Packed, i: Instruction) -> None:
    count = next((int(m) for m in i.modifiers if m in ("2", "4")), 1)
    if not {"M88", "MT88"} & set(i.modifiers):
        raise UnpackableError(i.name)
    transposed = "MT88" in i.modifiers
    destination, address = i.operands
    p.set(operation=isa.LOAD_MATRIX, width=4 * count, mode=int(transposed))
    p.destination(destination, count)
    _address(p, address, isa.SPACE_SHARED)


@lowers("LDGSTS", unit=isa.UNIT_LG, latency=isa.LATENCY_MEMORY)
def _ldgsts(p: Packed, i: Instruction) -> None:
    shared, source, *predicates = i.operands
    width, _ = _width(i)
    _address(p, source, isa.SPACE_GLOBAL)
    p.predicates_in(predicates)
    p.set(signed=int("ZFILL" in i.modifiers))
    p.set(operation=isa.COPY_TO_SHARED, width=width, mode=shared.value)
    base = shared.base or parse_operand("RZ")
    p.integers(base, shared.uniform or parse_operand("RZ"))


_ATOMICS = {
    ("ADD", "S"): isa.ATOMIC_ADD,
    ("ADD", "U"): isa.ATOMIC_ADD,
    ("ADD", "F32"): isa.ATOMIC_ADD_F32,
    ("ADD", "F64"): isa.ATOMIC_ADD_F64,
    ("ADD", "F16x2"): isa.ATOMIC_ADD_F16X2,
    ("ADD", "BF16x2"): isa.ATOMIC_ADD_BF16X2,
    ("MIN", "S"): isa.ATOMIC_MIN,
    ("MAX", "S"): isa.ATOMIC_MAX,
    ("MIN", "U"): isa.ATOMIC_UMIN,
    ("MAX", "U"): isa.ATOMIC_UMAX,
    ("AND", "U"): isa.ATOMIC_AND,
    ("OR", "U"): isa.ATOMIC_OR,
    ("XOR", "U"): isa.ATOMIC_XOR,
    ("EXCH", "U"): isa.ATOMIC_EXCHANGE,
    ("CAS", "U"): isa.ATOMIC_CAS,
    ("CAST", "U"): isa.ATOMIC_CAST,
    ("INC", "U"): isa.ATOMIC_INC,
    ("DEC", "U"): isa.ATOMIC_DEC,
}
_ATOMIC_NAMES = {name for name, _ in _ATOMICS}


def _atomic_kind(i: Instruction) -> int:
    name = next((m for m in i.modifiers if m in _ATOMIC_NAMES), "")
    kind = "U"
    if "F32" in i.modifiers:
        kind = "F32"
    elif "F64" in i.modifiers:
        kind = "F64"
    elif {"F16x2", "BF16x2"} & set(i.modifiers):
        kind = "BF16x2" if "BF16x2" in i.modifiers else "F16x2"
    elif {"S32", "S64"} & set(i.modifiers):
        kind = "S"
    if (name, kind) not in _ATOMICS:
        raise UnpackableError(i.name)
    return _ATOMICS[name, kind]


@lowers("ATOMS", "ATOMG", "ATOM", "RED", "REDG", unit=isa.UNIT_LG, latency=isa.LATENCY_MEMORY)
def _atomic(p: Packed, i: Instruction) -> None:
    operands = list(i.operands)
    out = take_predicates(operands)
    returns = operands[0].kind != "address"
    destination = operands.pop(0) if returns else parse_operand("RZ")
    address, *values = operands
    wide = bool({"64", "U64", "S64", "F64"} & set(i.modifiers))
    if "POPC" in i.modifiers:
        kind, values = isa.ATOMIC_ADD, [parse_operand("0x1")]
    else:
        kind = _atomic_kind(i)
    p.set(operation=isa.ATOMIC, mode=kind, width=8 if wide else 4, counts_lanes=int("POPC" in i.modifiers))
    p.predicates_out(out)
    p.destination(destination, 2 if wide else 1)
    p.integers(*values, pairs=3 if wide else 0)
    spaces = {"ATOMS": isa.SPACE_SHARED, "ATOM": isa.SPACE_GENERIC}
    _address(p, address, spaces.get(i.opcode, isa.SPACE_GLOBAL))


@lowers("QSPC", unit=isa.UNIT_MIO, latency=isa.LATENCY_SPECIAL_REGISTER)
def _qspc(p: Packed, i: Instruction) -> None:
    out, _, address = i.operands
    if "S" not in i.modifiers or address.base is None or address.value:
        raise UnpackableError(str(i))
    p.set(operation=isa.IN_SHARED)
    p.predicates_out([out])
    p.integers(address.base, pairs=1)
