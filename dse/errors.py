"""Errors of requests and of the service, with messages for users."""

from collections.abc import Sequence
from functools import partial
from inspect import signature
from typing import Any


class DseError(Exception):
    """Base of all errors of the service that a user can fix.

    Attributes:
        message: what is wrong, and what to do about it.
    """

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message

    @property
    def data(self) -> dict[str, Any]:
        """The arguments that the error was created with, by name; the class keeps each as an attribute."""
        return {name: getattr(self, name) for name in signature(type(self)).parameters}

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(type(self), **self.data), ()


class InputError(DseError, ValueError):
    """A request that cannot be carried out; the message contains the location and the fix.

    Attributes:
        place: a JSON pointer to the field of the request, as in `/trials`; None if it is not a single field.
    """

    def __init__(self, message: str, place: str | None = None) -> None:
        super().__init__(message)
        self.place = place


class SpaceNotFound(InputError):
    """There is no catalog or uploaded space of that name.

    Attributes:
        name: the unknown name.
        known: the known names.
    """

    def __init__(self, name: str, known: Sequence[str]) -> None:
        # Imported here to keep `dse --help` fast.
        from simcore.errors import did_you_mean

        super().__init__(f"no space {name!r}{did_you_mean(name, known)} (there are {', '.join(known)})")
        self.name = name
        self.known = tuple(known)


class GpuNotFound(InputError):
    """There is no uploaded profile of that name.

    Attributes:
        name: the unknown name.
        known: the known names.
    """

    _SOUGHT = "uploaded GPU"

    def __init__(self, name: str, known: Sequence[str]) -> None:
        from simcore.errors import did_you_mean

        there = ", ".join(known) or "none"
        super().__init__(f"no {self._SOUGHT} {name!r}{did_you_mean(name, known)} (there are {there})")
        self.name = name
        self.known = tuple(known)


class ProfileNotFound(GpuNotFound):
    """There is no GPU of that name, neither in the installation nor uploaded."""

    _SOUGHT = "GPU named"


class WrongOutput(DseError):
    """A variant of a kernel computes something else than its space expects."""


class PointsFailAlike(DseError):
    """A sweep that was given up because its first points all failed for the same reason."""


class ServerError(DseError):
    """A server that cannot be reached, refuses access, or fails."""


class AuthenticationError(ServerError):
    """A server that does not know who asks: the token is missing, unknown or revoked."""


class PermissionDenied(ServerError):
    """A server that knows who asks, who may not do this: the token's scope does not suffice, or it is another's."""
