"""What is said of several GPUs and workloads, said once: texts that differ only in their numbers become one text."""

import re
from collections.abc import Iterable, Sequence

#: A number that is no part of a name such as L2, and no value of a parameter; perhaps in per cent, or a factor.
_NUMBER = re.compile(r"(?<![\w.,=])\d[\d,]*(?:\.\d+)?[%x]?(?!\w)")


def once(told: Iterable[tuple[str, str]]) -> list[tuple[list[str], str]]:
    """Each text with all whom it was told of, in the order of the first; numbers that differ become ranges.

    Args:
        told: of whom, and what.
    """
    alike: dict[str, list[tuple[str, str]]] = {}
    for who, text in told:
        alike.setdefault(_NUMBER.sub("#", text), []).append((who, text))
    return [
        ([*dict.fromkeys(who for who, _ in group)], _merged([text for _, text in group]))
        for group in alike.values()
    ]


def _merged(texts: Sequence[str]) -> str:
    """Texts with the same words as one."""
    columns = zip(*(_NUMBER.findall(text) for text in texts), strict=True)
    ranges = iter([_range(column) for column in columns])
    return _NUMBER.sub(lambda _: next(ranges), texts[0])


def _range(numbers: Sequence[str]) -> str:
    """`8.1 to 8.5`, or the one number that there is."""
    low, high = (choose(numbers, key=_value) for choose in (min, max))
    return low if _value(low) == _value(high) else f"{low} to {high}"


def _value(number: str) -> float:
    return float(number.replace(",", "").rstrip("%x"))


def named(cases: Sequence[str], every: int) -> str:
    """GPUs and workloads in a cell of a table; `all` if they are every one of several."""
    return "all" if len(cases) == every > 1 else ", ".join(case.replace(" ", "\u00a0") for case in cases)
