"""The published figures: the files of `data/`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import yaml

DATA = Path(__file__).parent / "data"
SOURCES = "sources"

Parameter = str | int | float | bool | list[int]


@dataclass(frozen=True)
class Source:
    """Who published a figure.

    Attributes:
        title: of the paper, guide or repository.
        url: where it is.
        stated: whether NVIDIA states its figures; those of others are measured.
    """

    title: str
    url: str
    stated: bool = False


@dataclass(frozen=True)
class Figure:
    """One published number.

    Attributes:
        gpu: the profile that is to predict it.
        quantity: what was measured.
        value: in `unit`.
        unit: one of `units.UNITS`.
        recipe: what predicts it, one of `recipes.RECIPES`.
        source: who published it.
        where: the table, section or file there.
        conditions: the GPU that was measured, and how.
        parameters: of the recipe.
        differs: why the prediction is another, if it is.
    """

    gpu: str
    quantity: str
    value: float
    unit: str
    recipe: str
    source: Source
    where: str
    conditions: str
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    differs: str = ""


@cache
def sources() -> dict[str, Source]:
    """All sources by the names that figures give them."""
    return {
        name: Source(**each) for name, each in yaml.safe_load((DATA / f"{SOURCES}.yaml").read_text()).items()
    }


def gpus() -> list[str]:
    """The GPUs of which there are figures."""
    return sorted(path.stem for path in DATA.glob("*.yaml") if path.stem != SOURCES)


def figures_of(gpu: str) -> list[Figure]:
    """The figures of one GPU, in the order of its file."""
    rows = yaml.safe_load((DATA / f"{gpu}.yaml").read_text())
    return [
        Figure(gpu=gpu, source=sources()[row.pop("source")], parameters=row.pop("with"), **row)
        for row in rows
    ]
