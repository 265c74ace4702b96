"""Single and double precision; on sm_100 also packed singles."""

from simcore.core import isa
from simcore.core.execution.arithmetic import doubles, halves, singles
from simcore.lowering.modes import compare_floats, float_flags, rounding, xor_sign
from simcore.lowering.operands import result_of
from simcore.lowering.packed import Packed
from simcore.lowering.table import lowers


@lowers("FADD", operation=singles.FADD, unit=isa.UNIT_FMA)
@lowers("FFMA", operation=singles.FFMA, unit=isa.UNIT_FMA)
def _arithmetic(p: Packed) -> None:
    p.floats(*result_of(p))
    p.set(mode=rounding(p) | float_flags(p, "SAT", "FTZ"))


_SCALES = {"D2": -1, "D4": -2, "D8": -3, "M2": 1, "M4": 2, "M8": 3}
"""Powers of two by which a product is multiplied before it is rounded."""


@lowers("FMUL", operation=singles.FMUL, unit=isa.UNIT_FMA)
def _product(p: Packed) -> None:
    p.set(value=p.choice(_SCALES, 0))
    _arithmetic(p)


@lowers("FMNMX", operation=singles.FMNMX, unit=isa.UNIT_ALU)
@lowers("FMNMX3", operation=singles.FMNMX3, unit=isa.UNIT_ALU)
def _minmax(p: Packed) -> None:
    p.floats(*xor_sign(p, result_of(p, takes=1)))
    p.set(mode=p.record["mode"] | float_flags(p, "FTZ", "NAN"))


@lowers("FSETP", operation=singles.FSETP, unit=isa.UNIT_ALU)
def _fsetp(p: Packed) -> None:
    first, second, a, b, *predicates = p.instruction.operands
    p.predicates_out([first, second])
    p.predicates_in(predicates)
    p.floats(a, b)
    p.set(mode=compare_floats(p) | (singles.COMPARE_FLUSHED if p.has("FTZ") else 0))


@lowers("FSET", operation=singles.FSET, unit=isa.UNIT_ALU)
def _fset(p: Packed) -> None:
    p.floats(*result_of(p, takes=1))
    mode = compare_floats(p) | (singles.COMPARE_FLUSHED if p.has("FTZ") else 0)
    if mode & (isa.BOOLEAN_OR | isa.BOOLEAN_XOR):
        raise p.refuse()
    p.set(mode=mode, value=singles.TRUE_IS_ONE if p.has("BF") else singles.TRUE_IS_ALL_ONES)


@lowers("FCHK", operation=singles.FCHK, unit=isa.UNIT_XU, latency=isa.LATENCY_XU)
def _fchk(p: Packed) -> None:
    out, a, b = p.instruction.operands
    p.predicates_out([out])
    p.floats(a, b)


_MUFU = {
    "RCP": singles.MUFU_RCP,
    "RSQ": singles.MUFU_RSQ,
    "SQRT": singles.MUFU_SQRT,
    "EX2": singles.MUFU_EX2,
    "LG2": singles.MUFU_LG2,
    "SIN": singles.MUFU_SIN,
    "COS": singles.MUFU_COS,
    "TANH": singles.MUFU_TANH,
    "RCP64H": singles.MUFU_RCP64H,
    "RSQ64H": singles.MUFU_RSQ64H,
}


_SPECIAL_OF_HALVES = {"EX2": halves.HALF_EX2, "TANH": halves.HALF_TANH}
_SIGN_OF_HALF = 0x8000


@lowers("MUFU", operation=singles.MUFU, unit=isa.UNIT_XU, latency=isa.LATENCY_XU, suffixes="H1")
def _mufu(p: Packed) -> None:
    (source,) = result_of(p)
    is_bfloat = p.has("BF16")
    if is_bfloat or p.has("F16"):
        first = 16 if "H1" in source.suffixes else 0
        p.floats(source, sign=_SIGN_OF_HALF << first)
        p.set(operation=p.choice(_SPECIAL_OF_HALVES), mode=halves.BFLOAT if is_bfloat else 0, value=first)
    elif "H1" in source.suffixes:
        raise p.refuse()
    else:
        p.floats(source)
        p.set(mode=p.choice(_MUFU))


_PAIR_KINDS = {"FFMA2": singles.PAIR_FMA, "FADD2": singles.PAIR_ADD, "FMUL2": singles.PAIR_MULTIPLY}


@lowers(
    "FFMA2", "FADD2", "FMUL2", operation=singles.FFMA2, unit=isa.UNIT_FMA_PAIR, suffixes="F32 F32x2 HI_LO"
)
def _pairs(p: Packed) -> None:
    sources = result_of(p, 2)
    if any(s.negate or s.absolute or s.kind == "float" for s in sources):
        raise p.refuse()
    p.floats(*sources, pairs=7)
    repeated = 0
    for slot, source in enumerate(sources):
        if "HI_LO" not in source.suffixes and "F32" in source.suffixes:
            repeated |= 1 << slot
    kind = _PAIR_KINDS[p.instruction.opcode.removeprefix("U")]
    p.set(mode=kind | repeated << singles.PAIR_REPEATED_SHIFT)


@lowers("DADD", operation=doubles.DADD, unit=isa.UNIT_FP64, latency=isa.LATENCY_FP64)
@lowers("DMUL", operation=doubles.DMUL, unit=isa.UNIT_FP64, latency=isa.LATENCY_FP64)
@lowers("DFMA", operation=doubles.DFMA, unit=isa.UNIT_FP64, latency=isa.LATENCY_FP64)
def _double(p: Packed) -> None:
    p.floats(*result_of(p, 2), pairs=7)
    p.set(mode=rounding(p))


_NOT_PICKED = 0
_PICKS = {
    "MIN": doubles.COMPARE_PICK | isa.COMPARE_LESS,
    "MAX": doubles.COMPARE_PICK | isa.COMPARE_GREATER,
}


@lowers("DSETP", operation=doubles.DSETP, unit=isa.UNIT_FP64, latency=isa.LATENCY_FP64)
def _dsetp(p: Packed) -> None:
    first, second, a, b, *predicates = p.instruction.operands
    mode = p.choice(_PICKS, _NOT_PICKED)
    if mode == _NOT_PICKED:
        mode = compare_floats(p)
    elif not p.has("AND"):
        raise p.refuse()
    p.set(mode=mode)
    p.predicates_out([first, second])
    p.predicates_in(predicates)
    p.floats(a, b, pairs=7)
