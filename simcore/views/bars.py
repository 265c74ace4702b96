"""Text bars, the same in every table."""

#: Characters of a full bar.
WIDTH = 40


def bar(share: float) -> str:
    """A share of 0 to 1 as a bar; a thin line if it is too small for a character."""
    return "█" * round(WIDTH * share) or "▏"
