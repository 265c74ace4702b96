"""Errors of the store, with messages for users.

Messages may be sent over HTTP, so only those of opening a database contain its name.
"""

from collections.abc import Sequence

from dse.errors import DseError


class StoreError(DseError):
    """Base of the errors of the store."""


class StoreUnavailable(StoreError):
    """The database does not respond; a retry may succeed."""


class SweepNotFound(StoreError):
    """No sweep has that key or number."""

    def __init__(self, key: str | int) -> None:
        super().__init__(f"no sweep {key}; `dse list` shows all sweeps")
        self.key = key


class SweepExists(StoreError):
    """The key belongs to a sweep with a different request.

    Attributes:
        key: the key.
        differing: the fields of the request that differ.
    """

    def __init__(self, key: str, differing: Sequence[str]) -> None:
        what = f" (different {', '.join(differing)})" if differing else ""
        super().__init__(
            f"sweep {key} exists with a different request{what}; choose another id, or `dse delete {key}` first"
        )
        self.key = key
        self.differing = tuple(differing)


class SweepReplanned(StoreError):
    """The sweep was extended after its trials were chosen."""

    def __init__(self, sweep_id: int) -> None:
        super().__init__(f"sweep {sweep_id} was extended; it restarts with the new request")
        self.sweep_id = sweep_id


class SweepChanged(StoreError):
    """The sweep was extended or deleted concurrently."""

    def __init__(self, key: str) -> None:
        super().__init__(f"sweep {key} was changed concurrently; check it, then try again")
        self.key = key


class KeyRefused(StoreError):
    """The key is not a valid one for a sweep."""


class TokenRefused(StoreError):
    """Invalid name or scopes of a token, or no token has that name."""


class FilterError(StoreError, ValueError):
    """A filter that cannot be parsed; the message shows the position and what is expected there.

    Attributes:
        problem: the problem.
        filter: the text of the filter, if the position is known.
        position: position of the problem, in characters from 0.
    """

    def __init__(self, problem: str, filter: str = "", position: int | None = None) -> None:
        mark = "" if position is None else f"\n  {filter}\n  {' ' * position}^"
        super().__init__(problem + mark)
        self.problem = problem
        self.filter = filter
        self.position = position


class OrderError(FilterError):
    """An order that cannot be parsed."""
