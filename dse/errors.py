"""What a person can put right before any work is done."""

import difflib
from collections.abc import Collection, Iterable


class InputError(ValueError):
    """A request that cannot be carried out; the message names the place and the fix.

    Attributes:
        place: a JSON pointer to the field of the request, as in `/trials`; None when it is no single one.
    """

    place: str | None = None

    def __init__(self, message: str, place: str | None = None) -> None:
        super().__init__(message)
        self.place = place


class SpaceNotFound(InputError):
    """Neither the catalog nor anybody's upload has a space of that name."""

    def __init__(self, name: str, known: Collection[str]) -> None:
        super().__init__(f"no space {name!r}{closest(name, known)} (there are {', '.join(known)})")


class ServerError(Exception):
    """A server that cannot be reached, does not let one in, or fails; the message says which."""


def closest(name: str, candidates: Iterable[str]) -> str:
    """`; did you mean 'dot'?` for the candidate most like a name, or nothing when none is."""
    matches = difflib.get_close_matches(name, list(candidates), n=1, cutoff=0.5)
    return f"; did you mean {matches[0]!r}?" if matches else ""


def problem_name(kind: type[Exception]) -> str:
    """What an error is called over HTTP: `SpaceError` as `space-error`."""
    letters = (f"-{letter.lower()}" if letter.isupper() else letter for letter in kind.__name__)
    return "".join(letters).lstrip("-")
