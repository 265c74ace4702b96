"""Which measurements to predict: half of a split, some families, every N-th, none too large."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from pathlib import Path

import yaml

from simcore.validation.measurement import Measurement, MeasurementError


@dataclass(frozen=True)
class Selection:
    """A choice among measurements.

    Attributes:
        families: only these; None for all.
        every: only every N-th, counted over the chosen families.
        most_instructions: skip launches known to execute more warp instructions.
    """

    families: frozenset[str] | None = None
    every: int = 1
    most_instructions: float = inf

    def choose(self, measurements: Sequence[Measurement]) -> list[Measurement]:
        """The chosen ones, in order.

        Raises:
            MeasurementError: none is left.
        """
        chosen = [m for m in measurements if self.families is None or m.family in self.families]
        chosen = [m for m in chosen[:: self.every] if (m.warp_instructions or 0) <= self.most_instructions]
        if not chosen:
            present = ", ".join(sorted({m.family for m in measurements})) or "none"
            raise MeasurementError(f"no measurement is left to predict; the families measured are: {present}")
        return chosen


def read_split(path: str | Path, half: str) -> frozenset[str]:
    """The families in one half of a split file: YAML with a list of families under each half's name.

    Raises:
        MeasurementError: the file cannot be read, or has no such half.
    """
    try:
        document = yaml.safe_load(Path(path).read_text())
    except (OSError, yaml.YAMLError) as error:
        raise MeasurementError(f"{path}: cannot be read as YAML: {error}") from error
    if not isinstance(document, dict) or not isinstance(document.get(half), list):
        raise MeasurementError(f"{path}: has no list `{half}`; write the families of that half under it")
    return frozenset(map(str, document[half]))
