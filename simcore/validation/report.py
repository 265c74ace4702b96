"""Markdown tables of scores, inserted between a document's markers so that its prose stays unchanged.

A document contains `<!-- validate families -->` and `<!-- end families -->` where the tables of that name belong.
"""

from collections.abc import Sequence
from pathlib import Path

from simcore.validation.measurement import MeasurementError
from simcore.validation.prediction import Prediction
from simcore.validation.scores import Score

COLUMNS = (
    "family",
    "n",
    "error",
    "bias",
    "worst",
    "rank",
    "order",
    "regret",
    "instructions",
    "registers",
    "blocks",
    "stall",
)


def report_name(files: Sequence[Path], half: str | None) -> str:
    """The name in the markers: the files' names without extensions, and the half of the split."""
    names = [file.name.partition(".")[0] for file in files]
    return " ".join([*names, *([half] if half else [])])


def update_report(
    path: Path, name: str, scores: Sequence[Score], summary: Sequence[Score], worst: Sequence[Prediction]
) -> None:
    """Replace the text between the markers of this name with new tables, worst first.

    Raises:
        MeasurementError: the document cannot be read, or has no such markers.
    """
    begin, end = f"<!-- validate {name} -->", f"<!-- end {name} -->"
    try:
        text = path.read_text()
    except OSError as error:
        raise MeasurementError(f"{path}: cannot be read: {error.strerror or error}") from error
    before, opened, rest = text.partition(begin)
    _, closed, after = rest.partition(end)
    if not (opened and closed):
        raise MeasurementError(
            f"{path}: has no {begin} followed by {end}; write both where the tables belong"
        )
    tables = [family_table([*summary, *scores]), *([worst_table(worst)] if worst else [])]
    path.write_text("\n\n".join([before + begin, *tables, end + after]))


def family_table(scores: Sequence[Score]) -> str:
    """A row for each score."""
    rows = [cells(score) for score in scores]
    return _table(COLUMNS, [[_code(score.family), *row[1:]] for score, row in zip(scores, rows, strict=True)])


def worst_table(worst: Sequence[Prediction]) -> str:
    """A row for each prediction."""
    return _table(
        ("error", "measured", "predicted", "variant"),
        [
            [
                f"{p.error:+.1%}",
                f"{p.measurement.time_us:.4g} µs",
                f"{p.time_us:.4g} µs",
                f"`{p.measurement.name}`",
            ]
            for p in worst
        ],
    )


def cells(score: Score) -> list[str]:
    """A score as text, in the order of `COLUMNS`; blank if unknown."""
    fractions = (score.instructions, score.registers, score.blocks, score.stall)
    return [
        score.family,
        str(score.points),
        f"{score.error:.1%}",
        f"{score.bias:+.1%}",
        f"{score.worst:.1%}",
        "" if score.rank is None else f"{score.rank:.3f}",
        "" if score.order is None else f"{score.order:.1%}",
        f"{score.regret:.1%}",
        *("" if fraction is None else f"{fraction:.0%}" for fraction in fractions),
    ]


def _code(family: str) -> str:
    return family if " " in family else f"`{family}`"


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
