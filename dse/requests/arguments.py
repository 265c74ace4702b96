"""Arguments of Python calls in the form of a request: names and values, one or several."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from dse.errors import InputError
from search_spaces import Value


def names(
    given: str | Sequence[str] | None, place: str = "gpu", example: str = "['h100-sxm', 'b200']"
) -> tuple[str, ...]:
    """Names in the form of a request, from one, several, or none.

    Raises:
        InputError: it is none of these; the message has the place and the example.
    """
    return (given,) if isinstance(given, str) else _listed(place, given or (), example)


def lists(parameters: Mapping[str, Sequence[Value]] | None) -> dict[str, list[Value]]:
    """Values by parameter in the form of a request.

    Raises:
        InputError: a parameter has no list of values.
    """
    if not isinstance(parameters, Mapping | None):
        raise InputError(f"parameters: {parameters!r} is no dict, such as {{'unroll': [1, 2, 4]}}")
    return {
        name: list(_listed(f"parameters.{name}", values, "[1, 2, 4]"))
        for name, values in (parameters or {}).items()
    }


def _listed(place: str, values: Sequence[Any], example: str) -> tuple[Any, ...]:
    """The items of a list; a text is none, though it has letters."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise InputError(f"{place}: {values!r} is no list; write one such as {example}")
    return tuple(values)
