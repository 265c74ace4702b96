"""The one error of this package: everything that is wrong with a space, at once."""

import difflib
from collections.abc import Collection, Sequence
from itertools import islice

from search_spaces.limits import MAX_NAMES_SHOWN, MAX_PROBLEMS, MAX_SHOWN


class SpaceError(ValueError):
    """A space, or a question put to it, is wrong.

    Attributes:
        problems: one line each, `path.in.file: what is wrong; how to fix it`; of very many, the first.
    """

    def __init__(self, problems: Sequence[str], where: str = "") -> None:
        more = len(problems) - MAX_PROBLEMS
        self.problems = (*problems[:MAX_PROBLEMS], f"... and {more} more") if more > 1 else tuple(problems)
        self.where = where
        lead = f"{where}:\n  " if where else ""
        super().__init__(lead + "\n  ".join(self.problems))

    def __reduce__(self) -> tuple[type["SpaceError"], tuple[tuple[str, ...], str]]:
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
        text = repr(value[:MAX_SHOWN] if isinstance(value, str) else value)
    except (ValueError, RecursionError):  # an integer of thousands of digits, a list in a list in a list ...
        return f"a large {type(value).__name__}"
    is_short = len(text) <= MAX_SHOWN and not (isinstance(value, str) and len(value) > MAX_SHOWN)
    return text if is_short else f"{text[:MAX_SHOWN]}..."
