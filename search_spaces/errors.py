"""The one error of this package: everything that is wrong with a space, at once."""

import difflib
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from search_spaces.limits import MAX_NAMES_SHOWN, MAX_PROBLEMS, MAX_SHOWN_CHARACTERS


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong.

    Attributes:
        what: what is wrong, and how to fix it.
        path: where in the file, as in `arguments[1].type`; empty when it is of the file as a whole.
        line: the line of the file, from 1, where no field has the problem.
    """

    what: str
    path: str = ""
    line: int | None = None

    def __str__(self) -> str:
        place = self.path or (f"line {self.line}" if self.line else "")
        return f"{place}: {self.what}" if place else self.what


class SpaceError(ValueError):
    """A space, or a question put to it, is wrong.

    Attributes:
        problems: of very many, the first.
        where: the file, or the kernel; empty when it goes without saying.
    """

    def __init__(self, problems: Sequence[Problem], where: str = "") -> None:
        more = len(problems) - MAX_PROBLEMS
        rest = [Problem(f"... and {more} more")] if more > 1 else problems[MAX_PROBLEMS:]
        self.problems = (*problems[:MAX_PROBLEMS], *rest)
        self.where = where
        lead = f"{where}:\n  " if where else ""
        super().__init__(lead + "\n  ".join(map(str, self.problems)))

    @property
    def data(self) -> dict[str, Any]:
        """What the error is made from: the arguments of its class."""
        return {"problems": self.problems, "where": self.where}

    def __reduce__(self) -> tuple[type["SpaceError"], tuple[tuple[Problem, ...], str]]:
        return SpaceError, (self.problems, self.where)


def known_or_closest(name: str, known: Collection[str]) -> str:
    """The advice that follows an unknown name: the closest known one, or all there are."""
    closest = difflib.get_close_matches(name, known, n=1)
    if closest:
        return f"did you mean {closest[0]}?"
    names = [*islice(known, MAX_NAMES_SHOWN), *(["..."] if len(known) > MAX_NAMES_SHOWN else [])]
    return f"known: {', '.join(names)}" if known else "nothing is declared here"


def shown(value: object) -> str:
    """A value as a message shows it: like `repr`, but short."""
    try:
        text = repr(value[:MAX_SHOWN_CHARACTERS] if isinstance(value, str) else value)
    except (ValueError, RecursionError):  # an integer of thousands of digits, a list in a list in a list ...
        return f"a large {type(value).__name__}"
    is_short = len(text) <= MAX_SHOWN_CHARACTERS and not (
        isinstance(value, str) and len(value) > MAX_SHOWN_CHARACTERS
    )
    return text if is_short else f"{text[:MAX_SHOWN_CHARACTERS]}..."
