"""What modifiers such as `.GT.AND` and `.RM` mean in the `mode` field."""

from simcore.core import isa

_COMPARISONS = {"F": 0, "LT": 1, "EQ": 2, "LE": 3, "GT": 4, "NE": 5, "GE": 6, "T": 7}


def comparison(modifiers: tuple[str, ...], is_float: bool) -> int:
    """The comparison that the first modifier names, and how its result meets the other predicate."""
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


_ROUNDING = {"RM": isa.ROUND_DOWN, "RP": isa.ROUND_UP, "RZ": isa.ROUND_ZERO}


def float_mode(modifiers: tuple[str, ...]) -> int:
    """Rounding, saturation and the treatment of denormals and NaNs of floating-point arithmetic."""
    rounding = next((_ROUNDING[m] for m in modifiers if m in _ROUNDING), isa.ROUND_NEAREST)
    flags = {"SAT": isa.FLOAT_SATURATE, "FTZ": isa.FLOAT_FLUSH, "NAN": isa.FLOAT_KEEP_NAN}
    return rounding | sum(flag for name, flag in flags.items() if name in modifiers)


_CONVERSION_ROUNDING = {"TRUNC": 3, "FLOOR": 1, "CEIL": 2, "RZ": 3, "RM": 1, "RP": 2}


def conversion_rounding(modifiers: tuple[str, ...]) -> int:
    """Rounding of a conversion: 0 to nearest, 1 down, 2 up, 3 towards zero."""
    return next((_CONVERSION_ROUNDING[m] for m in modifiers if m in _CONVERSION_ROUNDING), 0)
