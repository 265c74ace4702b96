"""The opcode table: what each SASS opcode means to the core, and which unit executes it.

One function a family of opcodes fills in the packed record. A leading U (the uniform datapath's twin of an
opcode) has the same meaning on uniform registers. An opcode that is not here is an `UnsupportedInstruction`.

Units are those that hardware counters showed on an H200 (pipe counters of Nsight Compute) and, for the
other architectures, the throughput table of the CUDA C++ Programming Guide.
"""

from collections.abc import Callable

from simcore.core import isa
from simcore.cubin import INSTRUCTION_BYTES
from simcore.errors import UnsupportedInstruction
from simcore.program import (
    Packed,
    Program,
    UnpackableError,
    count_bank_reads,
    empty_code,
    predicate_index,
    rows_needed,
)
from simcore.sass import Instruction, Operand, parse_operand

Lowering = Callable[[Packed, Instruction], None]
_TABLE: dict[str, tuple[Lowering, int, int]] = {}


def lower(instructions: tuple[Instruction, ...], registers: int, kernel: str) -> Program:
    """Pack a kernel's instructions.

    Raises:
        UnsupportedInstruction: for the first opcode, or form of one, that is not modelled.
    """
    rows = rows_needed(instructions, registers)
    code = empty_code(len(instructions))
    for record, instruction in zip(code, instructions, strict=True):
        try:
            function, unit, latency = _lookup(instruction)
            packed = Packed(instruction, record, rows)
            packed.guard(instruction.guard)
            packed.set(unit=unit, latency=latency)
            function(packed, instruction)
        except UnpackableError:
            raise UnsupportedInstruction(str(instruction), instruction.address, kernel) from None
        control = instruction.control
        packed.set(
            stall=control.stall,
            yields=control.yields,
            write_barrier=control.write_barrier,
            read_barrier=control.read_barrier,
            wait_mask=control.wait_mask,
        )
    count_bank_reads(code, instructions, registers)
    return Program(instructions, code, rows)


def _lookup(instruction: Instruction) -> tuple[Lowering, int, int]:
    opcode = instruction.opcode
    if opcode in _TABLE:
        return _TABLE[opcode]
    if opcode.startswith("U") and opcode[1:] in _TABLE:
        return _TABLE[opcode[1:]][0], isa.UNIT_UNIFORM, isa.LATENCY_FIXED
    raise UnpackableError(opcode)


def _lowers(*opcodes: str, unit: int, latency: int = isa.LATENCY_FIXED) -> Callable[[Lowering], Lowering]:
    def register(function: Lowering) -> Lowering:
        for opcode in opcodes:
            _TABLE[opcode] = (function, unit, latency)
        return function

    return register


def _parts(i: Instruction) -> tuple[list[Operand], Operand, list[Operand], list[Operand]]:
    """Split operands into predicates out, destination, sources, predicates in, which stand in this order."""
    operands = list(i.operands)
    out = _take_predicates(operands)
    destination = operands.pop(0)
    predicates_in = _take_predicates(operands, last=True)
    out += _take_predicates(operands)
    return out, destination, operands, predicates_in


def _take_predicates(operands: list[Operand], last: bool = False) -> list[Operand]:
    taken: list[Operand] = []
    while operands and operands[-1 if last else 0].kind in ("predicate", "uniform_predicate"):
        taken.append(operands.pop(-1 if last else 0))
    return taken[::-1] if last else taken


def _value(packed: Packed, i: Instruction, operation: int) -> list[Operand]:
    """Fill in destination and predicates; give back the sources."""
    out, destination, sources, predicates_in = _parts(i)
    packed.set(operation=operation)
    packed.destination(destination)
    packed.predicates_out(out)
    packed.predicates_in(predicates_in)
    return sources


def _integer_value(operand: Operand) -> int:
    if operand.kind != "integer":
        raise UnpackableError(str(operand))
    return operand.value


# --- Moves and selection ----------------------------------------------------------------------------------


@_lowers("MOV", unit=isa.UNIT_ALU)
def _mov(p: Packed, i: Instruction) -> None:
    wide = "64" in i.modifiers
    sources = _value(p, i, isa.MOV64 if wide else isa.MOV)
    p.integers(sources[0], pairs=1 if wide else 0)
    p.set(destination_words=2 if wide else 1)


@_lowers("SEL", unit=isa.UNIT_ALU)
def _sel(p: Packed, i: Instruction) -> None:
    p.integers(*_value(p, i, isa.SEL))


@_lowers("FSEL", unit=isa.UNIT_ALU)
def _fsel(p: Packed, i: Instruction) -> None:
    p.floats(*_value(p, i, isa.SEL))


@_lowers("PRMT", unit=isa.UNIT_ALU)
def _prmt(p: Packed, i: Instruction) -> None:
    if i.modifiers:
        raise UnpackableError(i.name)
    p.integers(*_value(p, i, isa.PRMT))


# --- Integer arithmetic -----------------------------------------------------------------------------------


@_lowers("IADD3", unit=isa.UNIT_ALU)
def _iadd3(p: Packed, i: Instruction) -> None:
    extended = "X" in i.modifiers
    sources = _value(p, i, isa.IADD64 if "64" in i.modifiers else isa.IADD3)
    p.integers(*sources, *[parse_operand("RZ")] * (3 - len(sources)), complement=True)
    p.set(mode=int(extended), value=0 if extended else sum(s.negate for s in sources))


@_lowers("VIADD", unit=isa.UNIT_FMA_HEAVY)
def _viadd(p: Packed, i: Instruction) -> None:
    _iadd3(p, i)


@_lowers("IADD", unit=isa.UNIT_ALU)
def _iadd(p: Packed, i: Instruction) -> None:
    wide = "64" in i.modifiers
    sources = _value(p, i, isa.IADD64 if wide else isa.IADD3)
    p.integers(*sources, parse_operand("RZ"), complement=True, pairs=3 if wide else 0)
    p.set(value=sum(s.negate for s in sources), destination_words=2 if wide else 1)


@_lowers("IMAD", unit=isa.UNIT_FMA_HEAVY)
def _imad(p: Packed, i: Instruction) -> None:
    unsigned = "U32" in i.modifiers
    if i.modifiers[:1] == ("MOV",):
        sources = _value(p, i, isa.MOV)
        p.integers(sources[2])
        return
    operation = isa.IMAD_WIDE if "WIDE" in i.modifiers else isa.IMAD_HI if "HI" in i.modifiers else isa.IMAD
    sources = _value(p, i, operation)
    p.integers(*sources, pairs=4 if operation != isa.IMAD else 0, complement="X" in i.modifiers)
    p.set(mode=(1 if "X" in i.modifiers else 0) | (2 if unsigned else 0))
    if operation == isa.IMAD_WIDE:
        p.set(destination_words=2)


@_lowers("LEA", unit=isa.UNIT_ALU)
def _lea(p: Packed, i: Instruction) -> None:
    sources = _value(p, i, isa.LEA_HI if "HI" in i.modifiers else isa.LEA)
    *sources, shift = sources
    signed_high = "SX32" in i.modifiers
    if "HI" in i.modifiers and not signed_high and len(sources) == 2:
        sources.append(parse_operand("RZ"))
    p.integers(*sources, complement=True)
    carries = 0 if "X" in i.modifiers else sum(s.negate for s in sources)
    p.set(mode=int("X" in i.modifiers) | 2 * signed_high | carries << 4, value=_integer_value(shift) & 31)


@_lowers("LOP3", unit=isa.UNIT_ALU)
def _lop3(p: Packed, i: Instruction) -> None:
    *sources, table = _value(p, i, isa.LOP3)
    p.integers(*sources)
    p.set(value=_integer_value(table), mode=int("PAND" in i.modifiers))


@_lowers("PLOP3", unit=isa.UNIT_ALU)
def _plop3(p: Packed, i: Instruction) -> None:
    first, second, *sources, table, other = i.operands
    p.set(operation=isa.PLOP3, value=_integer_value(table), mode=_integer_value(other))
    p.predicates_out([first, second])
    indices = [predicate_index(s, isa.PREDICATE_TRUE) for s in sources]
    flips = [isa.FULL_MASK if s.negate else 0 for s in sources]
    p.set(a=indices[0], b=indices[1], c=indices[2], a_flip=flips[0], b_flip=flips[1], c_flip=flips[2])


@_lowers("SHF", unit=isa.UNIT_ALU)
def _shf(p: Packed, i: Instruction) -> None:
    modifiers = set(i.modifiers)
    mode = (
        (isa.SHIFT_RIGHT if "R" in modifiers else 0)
        | (isa.SHIFT_SIGNED if modifiers & {"S32", "S64"} else 0)
        | (isa.SHIFT_HIGH if "HI" in modifiers else 0)
        | (isa.SHIFT_WRAP if "W" in modifiers else 0)
        | (isa.SHIFT_64 if modifiers & {"U64", "S64"} else 0)
    )
    p.integers(*_value(p, i, isa.SHF))
    p.set(mode=mode)


@_lowers("IMNMX", "VIMNMX", unit=isa.UNIT_ALU)
def _imnmx(p: Packed, i: Instruction) -> None:
    _minmax(p, i, isa.IMNMX)


@_lowers("VIMNMX3", unit=isa.UNIT_ALU)
def _imnmx3(p: Packed, i: Instruction) -> None:
    _minmax(p, i, isa.IMNMX3)


@_lowers("VIADDMNMX", unit=isa.UNIT_ALU)
def _iadd_mnmx(p: Packed, i: Instruction) -> None:
    _minmax(p, i, isa.IADD_MNMX)


def _minmax(p: Packed, i: Instruction, operation: int) -> None:
    if set(i.modifiers) - {"U32", "S32"}:
        raise UnpackableError(i.name)
    p.integers(*_value(p, i, operation))
    p.set(mode=2 if "U32" in i.modifiers else 0)


@_lowers("IABS", unit=isa.UNIT_ALU)
def _iabs(p: Packed, i: Instruction) -> None:
    p.integers(*_value(p, i, isa.IABS))


@_lowers("SGXT", unit=isa.UNIT_ALU)
def _sgxt(p: Packed, i: Instruction) -> None:
    p.integers(*_value(p, i, isa.SGXT))
    p.set(mode=2 if "U32" in i.modifiers else 0)


@_lowers("BMSK", unit=isa.UNIT_ALU)
def _bmsk(p: Packed, i: Instruction) -> None:
    p.integers(*_value(p, i, isa.BMSK))


@_lowers("POPC", unit=isa.UNIT_XU, latency=isa.LATENCY_XU)
def _popc(p: Packed, i: Instruction) -> None:
    p.integers(*_value(p, i, isa.POPC))


@_lowers("BREV", unit=isa.UNIT_XU, latency=isa.LATENCY_XU)
def _brev(p: Packed, i: Instruction) -> None:
    p.integers(*_value(p, i, isa.BREV))


@_lowers("FLO", unit=isa.UNIT_XU, latency=isa.LATENCY_XU)
def _flo(p: Packed, i: Instruction) -> None:
    p.integers(*_value(p, i, isa.FLO))
    p.set(mode=(2 if "U32" in i.modifiers else 0) | (4 if "SH" in i.modifiers else 0))


@_lowers("IDP", unit=isa.UNIT_FMA_HEAVY)
def _idp(p: Packed, i: Instruction) -> None:
    if "4A" not in i.modifiers:
        raise UnpackableError(i.name)
    kinds = [m for m in i.modifiers if m in ("S8", "U8")] or ["S8", "S8"]
    p.integers(*_value(p, i, isa.IDP))
    p.set(mode=(kinds[0] == "U8") | (kinds[-1] == "U8") << 1)


_COMPARISONS = {"F": 0, "LT": 1, "EQ": 2, "LE": 3, "GT": 4, "NE": 5, "GE": 6, "T": 7}


def _comparison(modifiers: tuple[str, ...], is_float: bool) -> int:
    name = modifiers[0]
    if is_float and name == "NUM":
        mode = 7
    elif is_float and name == "NAN":
        mode = isa.COMPARE_UNORDERED
    elif is_float and name == "T":
        mode = 15
    elif is_float and name.endswith("U") and name[:-1] in _COMPARISONS:
        mode = _COMPARISONS[name[:-1]] | isa.COMPARE_UNORDERED
    else:
        mode = _COMPARISONS[name]
    if "OR" in modifiers:
        mode |= isa.BOOLEAN_OR
    elif "XOR" in modifiers:
        mode |= isa.BOOLEAN_XOR
    return mode


@_lowers("ISETP", unit=isa.UNIT_ALU)
def _isetp(p: Packed, i: Instruction) -> None:
    first, second, a, b, *predicates = i.operands
    mode = _comparison(i.modifiers, is_float=False)
    mode |= isa.COMPARE_UNSIGNED if "U32" in i.modifiers else 0
    mode |= isa.COMPARE_EXTENDED if "EX" in i.modifiers else 0
    p.set(operation=isa.ISETP, mode=mode)
    p.predicates_out([first, second])
    p.predicates_in(predicates)
    p.integers(a, b)


@_lowers("P2R", unit=isa.UNIT_ALU)
def _p2r(p: Packed, i: Instruction) -> None:
    destination, *sources = (o for o in i.operands if o.text != "PR")
    p.set(operation=isa.P2R, guard=isa.PREDICATE_TRUE, guard_flip=0, value=_byte_shift(i, destination))
    p.destination(destination)
    p.integers(*sources)


@_lowers("R2P", unit=isa.UNIT_ALU)
def _r2p(p: Packed, i: Instruction) -> None:
    source, mask = (o for o in i.operands if o.text != "PR")
    p.set(operation=isa.R2P, value=_byte_shift(i, source))
    p.integers(source, mask)


def _byte_shift(i: Instruction, operand: Operand) -> int:
    names = [*i.modifiers, *operand.suffixes]
    return next((8 * byte for byte in range(4) if f"B{byte}" in names), 0)


# --- Single precision -------------------------------------------------------------------------------------

_ROUNDING = {"RM": isa.ROUND_DOWN, "RP": isa.ROUND_UP, "RZ": isa.ROUND_ZERO}


def _float_mode(modifiers: tuple[str, ...]) -> int:
    rounding = next((_ROUNDING[m] for m in modifiers if m in _ROUNDING), isa.ROUND_NEAREST)
    return rounding | (isa.FLOAT_SATURATE if "SAT" in modifiers else 0)


@_lowers("FADD", unit=isa.UNIT_FMA)
def _fadd(p: Packed, i: Instruction) -> None:
    p.floats(*_value(p, i, isa.FADD))
    p.set(mode=_float_mode(i.modifiers))


@_lowers("FMUL", unit=isa.UNIT_FMA)
def _fmul(p: Packed, i: Instruction) -> None:
    p.floats(*_value(p, i, isa.FMUL))
    p.set(mode=_float_mode(i.modifiers))


@_lowers("FFMA", unit=isa.UNIT_FMA)
def _ffma(p: Packed, i: Instruction) -> None:
    p.floats(*_value(p, i, isa.FFMA))
    p.set(mode=_float_mode(i.modifiers))


@_lowers("FMNMX", unit=isa.UNIT_ALU)
def _fmnmx(p: Packed, i: Instruction) -> None:
    p.floats(*_value(p, i, isa.FMNMX))


@_lowers("FMNMX3", unit=isa.UNIT_ALU)
def _fmnmx3(p: Packed, i: Instruction) -> None:
    p.floats(*_value(p, i, isa.FMNMX3))


@_lowers("FSETP", unit=isa.UNIT_ALU)
def _fsetp(p: Packed, i: Instruction) -> None:
    first, second, a, b, *predicates = i.operands
    p.set(operation=isa.FSETP, mode=_comparison(i.modifiers, is_float=True))
    p.predicates_out([first, second])
    p.predicates_in(predicates)
    p.floats(a, b)


@_lowers("FSET", unit=isa.UNIT_ALU)
def _fset(p: Packed, i: Instruction) -> None:
    modifiers = tuple(m for m in i.modifiers if m != "BF")
    sources = _value(p, i, isa.FSET)
    p.floats(*sources)
    p.set(mode=_comparison(modifiers, is_float=True), value=int("BF" in i.modifiers))


@_lowers("FCHK", unit=isa.UNIT_XU, latency=isa.LATENCY_XU)
def _fchk(p: Packed, i: Instruction) -> None:
    out, a, b = i.operands
    p.set(operation=isa.FCHK)
    p.predicates_out([out])
    p.floats(a, b)


_MUFU = {
    "RCP": isa.MUFU_RCP,
    "RSQ": isa.MUFU_RSQ,
    "SQRT": isa.MUFU_SQRT,
    "EX2": isa.MUFU_EX2,
    "LG2": isa.MUFU_LG2,
    "SIN": isa.MUFU_SIN,
    "COS": isa.MUFU_COS,
    "TANH": isa.MUFU_TANH,
    "RCP64H": isa.MUFU_RCP64H,
    "RSQ64H": isa.MUFU_RSQ64H,
}


@_lowers("MUFU", unit=isa.UNIT_XU, latency=isa.LATENCY_XU)
def _mufu(p: Packed, i: Instruction) -> None:
    if i.modifiers[0] not in _MUFU or "F16" in i.modifiers:
        raise UnpackableError(i.name)
    p.floats(*_value(p, i, isa.MUFU))
    p.set(mode=_MUFU[i.modifiers[0]])


# --- Conversions ------------------------------------------------------------------------------------------

_CONVERSION_ROUNDING = {"TRUNC": 3, "FLOOR": 1, "CEIL": 2, "RZ": 3, "RM": 1, "RP": 2}


def _conversion_rounding(modifiers: tuple[str, ...]) -> int:
    return next((_CONVERSION_ROUNDING[m] for m in modifiers if m in _CONVERSION_ROUNDING), 0)


@_lowers("FRND", unit=isa.UNIT_XU, latency=isa.LATENCY_XU)
def _frnd(p: Packed, i: Instruction) -> None:
    wide = "F64" in i.modifiers
    p.floats(*_value(p, i, isa.FRND), pairs=int(wide))
    p.set(mode=_conversion_rounding(i.modifiers), width=8 if wide else 4, destination_words=1 + wide)


@_lowers("I2F", "I2FP", unit=isa.UNIT_XU, latency=isa.LATENCY_XU)
def _i2f(p: Packed, i: Instruction) -> None:
    (source,) = _value(p, i, isa.I2F)
    wide_source = bool({"S64", "U64"} & set(i.modifiers))
    if "F16" in i.modifiers:
        raise UnpackableError(i.name)
    wide = "F64" in i.modifiers
    p.integers(source, pairs=int(wide_source))
    bits = next((int(m[1:]) for m in i.modifiers if m in ("S8", "U8", "S16", "U16")), 64 if wide_source else 32)
    first_bit = next((int(s[1]) * (16 if s[0] == "H" else 8) for s in source.suffixes if s[0] in "BH"), 0)
    unsigned = bool({"U8", "U16", "U32", "U64"} & set(i.modifiers))
    p.set(mode=_conversion_rounding(i.modifiers), signed=not unsigned, width=8 if wide else 4)
    p.set(destination_words=1 + wide, value=bits | first_bit << 8)
    if i.opcode == "I2FP":
        p.set(unit=isa.UNIT_ALU, latency=isa.LATENCY_FIXED)


@_lowers("F2I", unit=isa.UNIT_XU, latency=isa.LATENCY_XU)
def _f2i(p: Packed, i: Instruction) -> None:
    (source,) = _value(p, i, isa.F2I)
    if {"F16", "S16", "U16", "S8", "U8"} & set(i.modifiers):
        raise UnpackableError(i.name)
    wide_source = "F64" in i.modifiers
    wide = bool({"S64", "U64"} & set(i.modifiers))
    sign = 0x8000_0000
    p.floats(source, sign=sign, pairs=int(wide_source))
    p.set(
        mode=_conversion_rounding(i.modifiers),
        signed=not {"U32", "U64"} & set(i.modifiers),
        width=8 if wide_source else 4,
        destination_words=1 + wide,
    )


@_lowers("F2F", unit=isa.UNIT_XU, latency=isa.LATENCY_XU)
def _f2f(p: Packed, i: Instruction) -> None:
    kinds = [m for m in i.modifiers if m in ("F64", "F32", "F16")]
    forms = {("F64", "F32"): 0, ("F32", "F64"): 1, ("F16", "F32"): 2, ("F32", "F16"): 3, ("F32", "F32"): 4}
    form = forms.get((kinds[0], kinds[1])) if len(kinds) == 2 else None
    if form is None:
        raise UnpackableError(i.name)
    p.floats(*_value(p, i, isa.F2F), pairs=int(form == 1))
    p.set(mode=form, value=_conversion_rounding(i.modifiers), destination_words=2 if form == 0 else 1)


@_lowers("F2FP", unit=isa.UNIT_ALU)
def _f2fp(p: Packed, i: Instruction) -> None:
    if "PACK_AB" not in i.modifiers or i.modifiers[0] not in ("F16", "BF16"):
        raise UnpackableError(i.name)
    p.floats(*_value(p, i, isa.F2FP))
    p.set(mode=int(i.modifiers[0] == "BF16"))


# --- Double precision -------------------------------------------------------------------------------------


@_lowers("DADD", unit=isa.UNIT_FP64, latency=isa.LATENCY_FP64)
def _dadd(p: Packed, i: Instruction) -> None:
    _double(p, i, isa.DADD)


@_lowers("DMUL", unit=isa.UNIT_FP64, latency=isa.LATENCY_FP64)
def _dmul(p: Packed, i: Instruction) -> None:
    _double(p, i, isa.DMUL)


@_lowers("DFMA", unit=isa.UNIT_FP64, latency=isa.LATENCY_FP64)
def _dfma(p: Packed, i: Instruction) -> None:
    _double(p, i, isa.DFMA)


def _double(p: Packed, i: Instruction, operation: int) -> None:
    p.floats(*_value(p, i, operation), pairs=7)
    p.set(mode=_float_mode(i.modifiers), destination_words=2)


@_lowers("DSETP", unit=isa.UNIT_FP64, latency=isa.LATENCY_FP64)
def _dsetp(p: Packed, i: Instruction) -> None:
    first, second, a, b, *predicates = i.operands
    p.set(operation=isa.DSETP, mode=_comparison(i.modifiers, is_float=True))
    p.predicates_out([first, second])
    p.predicates_in(predicates)
    p.floats(a, b, pairs=7)


# --- Half precision ---------------------------------------------------------------------------------------

_HALVES = {"H0_H0": 1, "H1_H1": 2}


def _half(p: Packed, i: Instruction, operation: int) -> None:
    if {"BF16_V2", "BF16"} & set(i.modifiers):
        raise UnpackableError(i.name)
    sources = _value(p, i, operation)
    if sources[-1].kind == "float":
        # Two immediates, one a half, share the word's immediate field.
        sources = [s for s in sources if s.kind != "float"] + [sources[-1]]
    p.floats(*sources, sign=0x8000_8000)
    halves = 0
    for slot, source in enumerate(sources):
        choice = next((_HALVES[s] for s in source.suffixes if s in _HALVES), 0)
        halves |= choice << 4 * slot
    p.set(value=halves, mode=isa.FLOAT_SATURATE if "SAT" in i.modifiers else 0)


@_lowers("HFMA2", unit=isa.UNIT_HALF)
def _hfma2(p: Packed, i: Instruction) -> None:
    _half(p, i, isa.HFMA2)
    if "MMA" in i.modifiers:
        p.set(unit=isa.UNIT_FMA_HEAVY)


@_lowers("HADD2", unit=isa.UNIT_HALF)
def _hadd2(p: Packed, i: Instruction) -> None:
    _half(p, i, isa.HADD2_F32 if "F32" in i.modifiers else isa.HADD2)


@_lowers("HMUL2", unit=isa.UNIT_HALF)
def _hmul2(p: Packed, i: Instruction) -> None:
    _half(p, i, isa.HMUL2)


# --- Packed single precision (sm_100) ---------------------------------------------------------------------


@_lowers("FFMA2", "FADD2", "FMUL2", unit=isa.UNIT_FMA)
def _ffma2(p: Packed, i: Instruction) -> None:
    sources = _value(p, i, isa.FFMA2)
    if any(s.negate or s.absolute or s.kind == "float" for s in sources):
        raise UnpackableError(str(i))
    kind = ("FFMA2", "FADD2", "FMUL2").index(i.opcode)
    p.floats(*sources, pairs=7)
    halves = 0
    for slot, source in enumerate(sources):
        if "HI_LO" not in source.suffixes and "F32" in source.suffixes:
            halves |= 1 << slot
    p.set(mode=kind | halves << 4, destination_words=2)


# --- Tensor cores -----------------------------------------------------------------------------------------


@_lowers("HMMA", unit=isa.UNIT_TENSOR)
def _hmma(p: Packed, i: Instruction) -> None:
    shapes = {"16816": 16, "1688": 8}
    if i.modifiers[0] not in shapes or i.modifiers[1] != "F32" or len(i.modifiers) > 2:
        raise UnpackableError(i.name)
    p.integers(*_value(p, i, isa.HMMA))
    p.set(value=shapes[i.modifiers[0]], destination_words=4)


# --- Special registers and warp-wide operations -----------------------------------------------------------

_SPECIAL = {
    "SRZ": isa.SPECIAL_ZERO,
    "SR_TID.X": isa.SPECIAL_TID_X,
    "SR_TID.Y": isa.SPECIAL_TID_Y,
    "SR_TID.Z": isa.SPECIAL_TID_Z,
    "SR_CTAID.X": isa.SPECIAL_CTAID_X,
    "SR_CTAID.Y": isa.SPECIAL_CTAID_Y,
    "SR_CTAID.Z": isa.SPECIAL_CTAID_Z,
    "SR_LANEID": isa.SPECIAL_LANEID,
    "SR_VIRTID": isa.SPECIAL_SMID,
    "SR_VIRTUALSMID": isa.SPECIAL_SMID,
    "SR_WARPID": isa.SPECIAL_WARPID,
    "SR_EQMASK": isa.SPECIAL_LANEMASK_EQ,
    "SR_LTMASK": isa.SPECIAL_LANEMASK_LT,
    "SR_LEMASK": isa.SPECIAL_LANEMASK_LE,
    "SR_GTMASK": isa.SPECIAL_LANEMASK_GT,
    "SR_GEMASK": isa.SPECIAL_LANEMASK_GE,
    "SR_CLOCKLO": isa.SPECIAL_CLOCK,
    "SR_CgaCtaId": isa.SPECIAL_ZERO,
}


@_lowers("S2R", unit=isa.UNIT_MIO, latency=isa.LATENCY_SPECIAL_REGISTER)
def _s2r(p: Packed, i: Instruction) -> None:
    destination, special = i.operands
    if special.text not in _SPECIAL:
        raise UnpackableError(special.text)
    p.set(operation=isa.S2R, value=_SPECIAL[special.text])
    p.destination(destination)


@_lowers("S2UR", unit=isa.UNIT_UNIFORM, latency=isa.LATENCY_SPECIAL_REGISTER)
def _s2ur(p: Packed, i: Instruction) -> None:
    _s2r(p, i)


@_lowers("CS2R", "CS2UR", unit=isa.UNIT_ALU)
def _cs2r(p: Packed, i: Instruction) -> None:
    destination, special = i.operands
    if special.text not in ("SRZ", "SR_CLOCKLO"):
        raise UnpackableError(special.text)
    words = 1 if "32" in i.modifiers else 2
    p.set(operation=isa.CLOCK, value=int(special.text == "SR_CLOCKLO"))
    p.destination(destination, words)


_SHUFFLES = {"IDX": isa.SHFL_IDX, "UP": isa.SHFL_UP, "DOWN": isa.SHFL_DOWN, "BFLY": isa.SHFL_BFLY}


@_lowers("SHFL", unit=isa.UNIT_MIO, latency=isa.LATENCY_SHUFFLE)
def _shfl(p: Packed, i: Instruction) -> None:
    p.integers(*_value(p, i, isa.SHFL))
    p.set(mode=_SHUFFLES[i.modifiers[0]])


_VOTES = {"ALL": isa.VOTE_ALL, "ANY": isa.VOTE_ANY, "EQ": isa.VOTE_EQ}


@_lowers("VOTE", unit=isa.UNIT_ALU)
def _vote(p: Packed, i: Instruction) -> None:
    registers = [o for o in i.operands if "register" in o.kind]
    *out, voted = (o for o in i.operands if "predicate" in o.kind)
    p.set(operation=isa.VOTE, mode=_VOTES[i.modifiers[0]])
    for destination in registers:
        p.destination(destination)
    p.predicates_out(out)
    p.predicates_in([voted])


@_lowers("VOTEU", unit=isa.UNIT_UNIFORM, latency=isa.LATENCY_UNIFORM)
def _voteu(p: Packed, i: Instruction) -> None:
    _vote(p, i)


@_lowers("MATCH", unit=isa.UNIT_MIO, latency=isa.LATENCY_SHUFFLE)
def _match(p: Packed, i: Instruction) -> None:
    sources = _value(p, i, isa.MATCH)
    wide = "U64" in i.modifiers
    p.integers(*sources, pairs=int(wide))
    p.set(mode=int("ALL" in i.modifiers), width=8 if wide else 4)


_REDUX = {
    ("SUM", False): isa.REDUX_SUM,
    ("SUM", True): isa.REDUX_SUM,
    ("MIN", True): isa.REDUX_MIN,
    ("MAX", True): isa.REDUX_MAX,
    ("MIN", False): isa.REDUX_UMIN,
    ("MAX", False): isa.REDUX_UMAX,
    ("AND", False): isa.REDUX_AND,
    ("OR", False): isa.REDUX_OR,
    ("XOR", False): isa.REDUX_XOR,
}


@_lowers("REDUX", "CREDUX", unit=isa.UNIT_MIO, latency=isa.LATENCY_SHUFFLE)
def _redux(p: Packed, i: Instruction) -> None:
    name = next((m for m in i.modifiers if m in ("SUM", "MIN", "MAX", "AND", "OR", "XOR")), "AND")
    mode = _REDUX.get((name, "S32" in i.modifiers))
    if mode is None:
        raise UnpackableError(i.name)
    p.integers(*_value(p, i, isa.REDUX))
    p.set(mode=mode)


@_lowers("R2UR", unit=isa.UNIT_UNIFORM, latency=isa.LATENCY_UNIFORM)
def _r2ur(p: Packed, i: Instruction) -> None:
    sources = _value(p, i, isa.R2UR)
    p.integers(*sources)


@_lowers("ELECT", unit=isa.UNIT_UNIFORM, latency=isa.LATENCY_UNIFORM)
def _elect(p: Packed, i: Instruction) -> None:
    predicates = [o for o in i.operands if "predicate" in o.kind]
    p.set(operation=isa.ELECT)
    p.predicates_out(predicates[:1])


# --- Memory -----------------------------------------------------------------------------------------------

_SPACES = {
    "LDG": isa.SPACE_GLOBAL,
    "LD": isa.SPACE_GLOBAL,
    "STG": isa.SPACE_GLOBAL,
    "ST": isa.SPACE_GLOBAL,
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
    p.address(operand, default_64=space == isa.SPACE_GLOBAL)
    p.set(space=space, unit=_memory_unit(space))


@_lowers("LDG", "LD", "LDS", "LDL", unit=isa.UNIT_LG, latency=isa.LATENCY_MEMORY)
def _load(p: Packed, i: Instruction) -> None:
    out, destination, sources, _ = _parts(i)
    width, signed = _width(i)
    p.set(operation=isa.LOAD, width=width, signed=signed)
    p.predicates_out(out)
    p.destination(destination, max(width // 4, 1))
    _address(p, sources[0], _SPACES[i.opcode])


@_lowers("STG", "ST", "STS", "STL", unit=isa.UNIT_LG, latency=isa.LATENCY_MEMORY)
def _store(p: Packed, i: Instruction) -> None:
    address, value = i.operands
    width, _ = _width(i)
    p.set(operation=isa.STORE, width=width)
    p.integers(value)
    _address(p, address, _SPACES[i.opcode])


_CONSTANT_WIDTHS = {1: 1, 2: 1, 4: 1, 8: 2, 16: 4}


@_lowers("LDC", "LDCU", unit=isa.UNIT_MIO, latency=isa.LATENCY_CONSTANT)
def _ldc(p: Packed, i: Instruction) -> None:
    destination, source = i.operands
    width, signed = _width(i)
    if source.kind != "constant":
        raise UnpackableError(str(source))
    p.set(operation=isa.LOAD_CONSTANT, width=width, signed=signed, space=isa.SPACE_CONSTANT)
    p.destination(destination, _CONSTANT_WIDTHS[width])
    index = source.base or source.uniform or parse_operand("RZ")
    p.integers(index)
    p.set(value=source.value, mode=source.index)


@_lowers("ULDC", unit=isa.UNIT_UNIFORM)
def _uldc(p: Packed, i: Instruction) -> None:
    _ldc(p, i)


@_lowers("LDSM", unit=isa.UNIT_MIO, latency=isa.LATENCY_MEMORY)
def _ldsm(p: Packed, i: Instruction) -> None:
    count = next((int(m) for m in i.modifiers if m in ("2", "4")), 1)
    if "M88" not in i.modifiers:
        raise UnpackableError(i.name)
    transposed = any(m.startswith("MT") for m in i.modifiers)
    destination, address = i.operands
    p.set(operation=isa.LOAD_MATRIX, width=4 * count, mode=int(transposed))
    p.destination(destination, count)
    _address(p, address, isa.SPACE_SHARED)


@_lowers("LDGSTS", unit=isa.UNIT_LG, latency=isa.LATENCY_MEMORY)
def _ldgsts(p: Packed, i: Instruction) -> None:
    shared, source, *_ = i.operands
    width, _ = _width(i)
    _address(p, source, isa.SPACE_GLOBAL)
    p.set(operation=isa.COPY_TO_SHARED, width=width, mode=shared.value)
    base = shared.base or parse_operand("RZ")
    p.integers(base, shared.uniform or parse_operand("RZ"))


_ATOMICS = {
    ("ADD", "S"): isa.ATOMIC_ADD,
    ("ADD", "U"): isa.ATOMIC_ADD,
    ("ADD", "F32"): isa.ATOMIC_ADD_F32,
    ("ADD", "F64"): isa.ATOMIC_ADD_F64,
    ("ADD", "F16x2"): isa.ATOMIC_ADD_F16X2,
    ("MIN", "S"): isa.ATOMIC_MIN,
    ("MAX", "S"): isa.ATOMIC_MAX,
    ("MIN", "U"): isa.ATOMIC_UMIN,
    ("MAX", "U"): isa.ATOMIC_UMAX,
    ("AND", "U"): isa.ATOMIC_AND,
    ("OR", "U"): isa.ATOMIC_OR,
    ("XOR", "U"): isa.ATOMIC_XOR,
    ("EXCH", "U"): isa.ATOMIC_EXCHANGE,
    ("CAS", "U"): isa.ATOMIC_CAS,
    ("CAST", "U"): isa.ATOMIC_CAS,
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
    elif "F16x2" in i.modifiers:
        kind = "F16x2"
    elif {"S32", "S64"} & set(i.modifiers):
        kind = "S"
    if (name, kind) not in _ATOMICS:
        raise UnpackableError(i.name)
    return _ATOMICS[name, kind]


@_lowers("ATOMS", "ATOMG", "ATOM", "RED", "REDG", unit=isa.UNIT_LG, latency=isa.LATENCY_MEMORY)
def _atomic(p: Packed, i: Instruction) -> None:
    operands = list(i.operands)
    out = _take_predicates(operands)
    returns = operands[0].kind != "address"
    destination = operands.pop(0) if returns else parse_operand("RZ")
    address, *values = operands
    wide = bool({"64", "U64", "S64", "F64"} & set(i.modifiers))
    if "POPC" in i.modifiers:
        kind, values = isa.ATOMIC_ADD, [parse_operand("0x1")]
    else:
        kind = _atomic_kind(i)
    p.set(operation=isa.ATOMIC, mode=kind, width=8 if wide else 4)
    p.predicates_out(out)
    p.destination(destination, 2 if wide else 1)
    p.integers(*values, pairs=3 if wide else 0)
    _address(p, address, isa.SPACE_SHARED if i.opcode == "ATOMS" else isa.SPACE_GLOBAL)


# --- Control flow -----------------------------------------------------------------------------------------


def _target(i: Instruction) -> int:
    operand = i.operands[-1]
    if operand.kind != "integer" or operand.value % INSTRUCTION_BYTES:
        raise UnpackableError(str(i))
    return operand.value // INSTRUCTION_BYTES


@_lowers("NOP", "YIELD", "ERRBAR", "PREEXIT", "ACQBULK", "CCTL", unit=isa.UNIT_BRANCH)
def _nop(p: Packed, i: Instruction) -> None:
    p.set(operation=isa.NOP)


@_lowers("EXIT", unit=isa.UNIT_BRANCH)
def _exit(p: Packed, i: Instruction) -> None:
    p.predicates_in([o for o in i.operands if "predicate" in o.kind])
    p.set(operation=isa.EXIT)


@_lowers("BRA", "JMP", unit=isa.UNIT_BRANCH)
def _bra(p: Packed, i: Instruction) -> None:
    p.set(operation=isa.BRA, target=_target(i))
    if "DIV" in i.modifiers:
        p.set(operation=isa.BRA_DIV)
        p.integers(i.operands[0])
    elif "CONV" in i.modifiers:
        raise UnpackableError(i.name)
    else:
        p.predicates_in([o for o in i.operands[:-1] if "predicate" in o.kind])


@_lowers("BRX", unit=isa.UNIT_BRANCH)
def _brx(p: Packed, i: Instruction) -> None:
    register, displacement = i.operands
    p.set(operation=isa.BRX, value=_integer_value(displacement) + i.address + INSTRUCTION_BYTES)
    p.integers(register)


@_lowers("CALL", unit=isa.UNIT_BRANCH)
def _call(p: Packed, i: Instruction) -> None:
    p.set(operation=isa.CALL, target=_target(i))


@_lowers("RET", unit=isa.UNIT_BRANCH)
def _ret(p: Packed, i: Instruction) -> None:
    register, base = i.operands
    p.set(operation=isa.RET, value=_integer_value(base))
    p.integers(register)


@_lowers("BSSY", unit=isa.UNIT_BRANCH)
def _bssy(p: Packed, i: Instruction) -> None:
    p.set(operation=isa.BSSY, value=i.operands[0].index, target=_target(i))


@_lowers("BSYNC", unit=isa.UNIT_BRANCH)
def _bsync(p: Packed, i: Instruction) -> None:
    p.set(operation=isa.BSYNC, value=i.operands[-1].index)


@_lowers("BREAK", unit=isa.UNIT_BRANCH)
def _break(p: Packed, i: Instruction) -> None:
    p.predicates_in([o for o in i.operands if "predicate" in o.kind])
    p.set(operation=isa.BREAK, value=i.operands[-1].index)


@_lowers("BMOV", unit=isa.UNIT_BRANCH, latency=isa.LATENCY_UNIFORM)
def _bmov(p: Packed, i: Instruction) -> None:
    first, second = i.operands
    if second.kind == "barrier":
        p.set(operation=isa.BMOV_TO_REGISTER, value=second.index, mode=int("CLEAR" in i.modifiers))
        p.destination(first)
    elif first.kind == "barrier":
        p.set(operation=isa.BMOV_FROM_REGISTER, value=first.index)
        p.integers(second)
    else:
        raise UnpackableError(str(i))


@_lowers("WARPSYNC", "ENDCOLLECTIVE", unit=isa.UNIT_BRANCH)
def _warpsync(p: Packed, i: Instruction) -> None:
    if "COLLECTIVE" in i.modifiers or i.opcode == "ENDCOLLECTIVE":
        # Only reached by a warp that diverged ahead of a warp-wide operation.
        p.set(operation=isa.TRAP, value=isa.UNSUPPORTED)
        return
    p.set(operation=isa.WARPSYNC)
    p.integers(i.operands[0] if i.operands else parse_operand("0xffffffff"))


@_lowers("BAR", unit=isa.UNIT_BRANCH)
def _bar(p: Packed, i: Instruction) -> None:
    if i.modifiers[0] not in ("SYNC", "ARV") or i.operands[0].kind not in ("integer", "register"):
        raise UnpackableError(str(i))
    p.set(operation=isa.BAR_SYNC if i.modifiers[0] == "SYNC" else isa.BAR_ARRIVE)
    p.integers(*i.operands[:2])
    p.set(mode=len(i.operands))


@_lowers("DEPBAR", unit=isa.UNIT_BRANCH)
def _depbar(p: Packed, i: Instruction) -> None:
    barrier, count, *others = i.operands
    if others:
        raise UnpackableError(str(i))
    p.set(operation=isa.DEPBAR, mode=barrier.index, value=_integer_value(count))


@_lowers("LDGDEPBAR", unit=isa.UNIT_LG, latency=isa.LATENCY_MEMORY)
def _ldgdepbar(p: Packed, i: Instruction) -> None:
    p.set(operation=isa.NOP)


@_lowers("MEMBAR", unit=isa.UNIT_BRANCH)
def _membar(p: Packed, i: Instruction) -> None:
    p.set(operation=isa.MEMBAR, mode=("CTA", "GPU", "SYS").index(i.modifiers[-1]) if i.modifiers else 0)


@_lowers("NANOSLEEP", unit=isa.UNIT_BRANCH)
def _nanosleep(p: Packed, i: Instruction) -> None:
    p.set(operation=isa.SLEEP)
    p.integers(i.operands[-1])


@_lowers("BPT", unit=isa.UNIT_BRANCH)
def _bpt(p: Packed, i: Instruction) -> None:
    p.set(operation=isa.TRAP, value=isa.TRAPPED)
