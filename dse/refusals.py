"""Errors that a user can fix, from all three packages, and their serialisation for HTTP.

An error keeps its arguments as attributes of the same names; they are its data. The client rebuilds the error
from its name and data. A new class needs no registration.
"""

from collections.abc import Iterator
from inspect import Parameter, signature
from typing import Any, get_type_hints

from pydantic import BaseModel, create_model

from dse.errors import DseError
from search_spaces import SpaceError
from simcore.errors import SimcoreError

#: The base classes of these errors.
REFUSALS = (DseError, SpaceError, SimcoreError)
Refusal = DseError | SpaceError | SimcoreError


def problem_name(kind: type[Exception]) -> str:
    """The name of an error over HTTP: `SpaceError` as `space-error`."""
    letters = (f"-{letter.lower()}" if letter.isupper() else letter for letter in kind.__name__)
    return "".join(letters).lstrip("-")


def dumped(error: Refusal) -> dict[str, Any]:
    """An error's data as JSON."""
    return _model(type(error)).model_construct(**error.data).model_dump(mode="json")


def rebuilt(name: str, data: object) -> Refusal:
    """Rebuild an error from its name and data.

    Raises:
        KeyError: no class loaded in this process has that name.
        ValueError: the data does not fit the class.
    """
    kind = next((each for base in REFUSALS for each in _family(base) if problem_name(each) == name), None)
    if kind is None:
        raise KeyError(name)
    read = _model(kind).model_validate(data)
    return kind(**{argument: getattr(read, argument) for argument in signature(kind).parameters})


def _family(kind: type[Refusal]) -> Iterator[type[Refusal]]:
    yield kind
    for derived in kind.__subclasses__():
        yield from _family(derived)


def _model(kind: type[Refusal]) -> type[BaseModel]:
    """A pydantic model of the arguments of an error class."""
    hints = get_type_hints(kind.__init__)
    fields: dict[str, Any] = {
        name: (hints[name], ... if argument.default is Parameter.empty else argument.default)
        for name, argument in signature(kind).parameters.items()
    }
    return create_model(kind.__name__, **fields)
