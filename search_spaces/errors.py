"""The one error of this package: everything that is wrong with a space, at once."""

import difflib
from collections.abc import Collection, Sequence


class SpaceError(ValueError):
    """A space, or a question put to it, is wrong.

    Attributes:
        problems: one line each, `path.in.file: what is wrong; how to fix it`.
    """

    def __init__(self, problems: Sequence[str], where: str = "") -> None:
        self.problems = tuple(problems)
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
    return f"known: {', '.join(known)}" if known else "nothing is declared here"
