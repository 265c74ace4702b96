"""What modifiers such as `.GT.AND` and `.RM` mean in the `mode` field."""

from dataclasses import replace

from simcore.core import isa
from simcore.lowering.packed import Packed
from simcore.machine_code.operands import Operand

_LESS, _EQUAL, _GREATER = isa.COMPARE_LESS, isa.COMPARE_EQUAL, isa.COMPARE_GREATER
_ORDERED = _LESS | _EQUAL | _GREATER
_COMPARISONS = {
    "F": 0,
    "LT": _LESS,
    "EQ": _EQUAL,
    "LE": _LESS | _EQUAL,
    "GT": _GREATER,
    "NE": _LESS | _GREATER,
    "GE": _GREATER | _EQUAL,
}
_UNORDERED = isa.COMPARE_UNORDERED
_INTEGER_COMPARISONS = _COMPARISONS | {"T": _ORDERED}
_FLOAT_COMPARISONS = (
    _COMPARISONS
    | {f"{name}U": mode | _UNORDERED for name, mode in _COMPARISONS.items()}
    | {"NUM": _ORDERED, "NAN": _UNORDERED, "T": _ORDERED | _UNORDERED}
)
_BOOLEANS = {"AND": 0, "OR": isa.BOOLEAN_OR, "XOR": isa.BOOLEAN_XOR}


def compare_integers(p: Packed) -> int:
    """The integer comparison, and how its result is combined with the other predicate."""
    return p.choice(_INTEGER_COMPARISONS) | p.choice(_BOOLEANS, 0)


def compare_floats(p: Packed) -> int:
    """The floating-point comparison, and how its result is combined with the other predicate."""
    return p.choice(_FLOAT_COMPARISONS) | p.choice(_BOOLEANS, 0)


_ROUNDING = {"RN": isa.ROUND_NEAREST, "RM": isa.ROUND_DOWN, "RP": isa.ROUND_UP, "RZ": isa.ROUND_ZERO}


def rounding(p: Packed) -> int:
    """Rounding mode of arithmetic, `isa.ROUND_*`."""
    return p.choice(_ROUNDING, isa.ROUND_NEAREST)


_CONVERSION_ROUNDING = _ROUNDING | {
    "FLOOR": isa.ROUND_DOWN,
    "CEIL": isa.ROUND_UP,
    "TRUNC": isa.ROUND_ZERO,
}


def conversion_rounding(p: Packed) -> int:
    """Rounding mode of a conversion, `isa.ROUND_*`."""
    return p.choice(_CONVERSION_ROUNDING, isa.ROUND_NEAREST)


_FLAGS = {"SAT": isa.FLOAT_SATURATE, "FTZ": isa.FLOAT_FLUSH, "NAN": isa.FLOAT_KEEP_NAN}


def xor_sign(p: Packed, sources: list[Operand]) -> list[Operand]:
    """With `.XORSIGN`, which needs the signs of its sources, these without `| |`."""
    if not p.has("XORSIGN"):
        return sources
    if any(s.negate or not s.absolute for s in sources):
        raise p.refuse()
    p.reads(*sources)
    p.set(mode=isa.FLOAT_XOR_SIGN)
    return [replace(s, absolute=False) for s in sources]


def float_flags(p: Packed, *names: str) -> int:
    """Saturation and the treatment of denormals and NaNs, as far as an opcode supports them."""
    return sum(_FLAGS[name] for name in names if p.has(name))
