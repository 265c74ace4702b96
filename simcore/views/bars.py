"""A share as a bar of text, the same in every table."""

#: Characters of a bar that stands for the whole.
WIDTH = 40


def bar(share: float) -> str:
    """A share of 0 to 1 as a bar; of what is too little for a character, a thin line."""
    return "█" * round(WIDTH * share) or "▏"
