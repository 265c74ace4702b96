"""The error of this package: all problems of a space together."""

import difflib
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from search_spaces.limits import MAX_NAMES_SHOWN, MAX_PROBLEMS, MAX_SHOWN_CHARACTERS


@dataclass(frozen=True)
class Problem:
    """One problem.

    Attributes:
        what: the problem and how to fix it.
        path: its location in the file, such as `arguments[1].type`; empty for the file as a whole.
        line: line of the file, from 1, if the problem belongs to no field.
    """

    what: str
    path: str = ""
    line: int | None = None

    def __str__(self) -> str:
        place = self.path or (f"line {self.line}" if self.line else "")
        return f"{place}: {self.what}" if place else self.what


class SpaceError(ValueError):
    """A space, or a query on it, is invalid.

    Attributes:
        problems: the problems; only the first if there are very many.
        where: the file or the kernel; empty if obvious.
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
        """The arguments that the error was created with, by name."""
        return {"problems": self.problems, "where": self.where}

    def __reduce__(self) -> tuple[type["SpaceError"], tuple[tuple[Problem, ...], str]]:
        return SpaceError, (self.problems, self.where)


def known_or_closest(name: str, known: Collection[str]) -> str:
    """The advice after an unknown name: the closest known one, or all of them."""
    closest = difflib.get_close_matches(name, known, n=1)
    if closest:
        return f"did you mean {closest[0]}?"
    names = [*islice(known, MAX_NAMES_SHOWN), *(["..."] if len(known) > MAX_NAMES_SHOWN else [])]
    return f"known: {', '.join(names)}" if known else "nothing is declared here"


def one_of(name: str, known: Collection[str], listed: Collection[str] | None = None) -> str:
    """The advice after an unknown word of a short list: the closest one, if any is close, and the list.

    Args:
        listed: what the list says, if not all that is known.
    """
    closest = difflib.get_close_matches(name, known, n=1)
    question = f"did you mean {closest[0]}? There are" if closest else "there are"
    return f"{question} {', '.join(listed or known)}"


def shown(value: object) -> str:
    """A value for a message: like `repr`, but short."""
    try:
        text = repr(value[:MAX_SHOWN_CHARACTERS] if isinstance(value, str) else value)
    except (ValueError, RecursionError):  # an integer of thousands of digits, a list in a list in a list ...
        return f"a large {type(value).__name__}"
    is_short = len(text) <= MAX_SHOWN_CHARACTERS and not (
        isinstance(value, str) and len(value) > MAX_SHOWN_CHARACTERS
    )
    return text if is_short else f"{text[:MAX_SHOWN_CHARACTERS]}..."
