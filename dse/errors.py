"""What can go wrong with a request or with the service, each with a message for the person who asked."""

from collections.abc import Sequence
from functools import partial
from inspect import signature
from typing import Any


class DseError(Exception):
    """Anything that the service refuses or cannot do, and that a person can put right.

    Attributes:
        message: what is wrong, and what to do about it.
    """

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message

    @property
    def data(self) -> dict[str, Any]:
        """What the error is made from: the arguments of its class, each of which it keeps under its name."""
        return {name: getattr(self, name) for name in signature(type(self)).parameters}

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(type(self), **self.data), ()


class InputError(DseError, ValueError):
    """A request that cannot be carried out; the message names the place and the fix.

    Attributes:
        place: a JSON pointer to the field of the request, as in `/trials`; None when it is no single one.
    """

    def __init__(self, message: str, place: str | None = None) -> None:
        super().__init__(message)
        self.place = place


class SpaceNotFound(InputError):
    """Neither the catalog nor anybody's upload has a space of that name.

    Attributes:
        name: that name.
        known: those there are.
    """

    def __init__(self, name: str, known: Sequence[str]) -> None:
        # Not above: the command line loads this module to show its help.
        from simcore.errors import did_you_mean

        super().__init__(f"no space {name!r}{did_you_mean(name, known)} (there are {', '.join(known)})")
        self.name = name
        self.known = tuple(known)


class ServerError(DseError):
    """A server that cannot be reached, does not let one in, or fails; the message says which."""
