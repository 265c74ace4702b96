"""What the store refuses, each with a message for the person who asked.

A message may travel over HTTP, so none but those of opening a database name the database.
"""

from collections.abc import Sequence

from dse.errors import DseError


class StoreError(DseError):
    """Anything the store cannot do."""


class StoreUnavailable(StoreError):
    """The database does not answer; it may do so later."""


class SweepNotFound(StoreError):
    """No sweep has that key or number."""

    def __init__(self, key: str | int) -> None:
        super().__init__(f"no sweep {key}; `dse list` shows those there are")
        self.key = key


class SweepExists(StoreError):
    """The key belongs to a sweep that asks something else.

    Attributes:
        key: that key.
        differing: the fields of the question that differ.
    """

    def __init__(self, key: str, differing: Sequence[str]) -> None:
        what = f" (other {', '.join(differing)})" if differing else ""
        super().__init__(
            f"sweep {key} exists and asks another question{what}; choose another id, or `dse delete {key}` first"
        )
        self.key = key
        self.differing = tuple(differing)


class SweepReplanned(StoreError):
    """The sweep asks something else since its trials were chosen."""

    def __init__(self, sweep_id: int) -> None:
        super().__init__(f"sweep {sweep_id} was extended; it begins again with what it asks now")
        self.sweep_id = sweep_id


class SweepChanged(StoreError):
    """Somebody else has extended the sweep meanwhile, or deleted it."""

    def __init__(self, key: str) -> None:
        super().__init__(f"sweep {key} was changed meanwhile; look at it, and ask again")
        self.key = key


class KeyRefused(StoreError):
    """A sweep cannot have that key."""


class TokenRefused(StoreError):
    """A token cannot have that name or those scopes, or there is none of that name."""


class FilterError(StoreError, ValueError):
    """A filter that cannot be read; the message shows the place and what is allowed there.

    Attributes:
        problem: what is wrong.
        filter: the text of the filter, where the place is known.
        position: the place in it, in characters from 0.
    """

    def __init__(self, problem: str, filter: str = "", position: int | None = None) -> None:
        mark = "" if position is None else f"\n  {filter}\n  {' ' * position}^"
        super().__init__(problem + mark)
        self.problem = problem
        self.filter = filter
        self.position = position


class OrderError(FilterError):
    """An order that cannot be read."""
