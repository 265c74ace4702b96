"""The silicon families' kernels, ready to run."""

from pathlib import Path
from typing import Any

from dse.evaluation.variants import space_variants
from simcore.session.request import LaunchRequest
from simcore.session.session import Session, prepare

FAMILIES = Path(__file__).parents[2] / "benchmarks" / "silicon" / "families"


def session_of(family: str, gpu: str, **changed: Any) -> Session:
    """The first point of a family; `changed` are other values of its launch."""
    variants = space_variants(FAMILIES / family)
    launch = variants.recipe(next(iter(variants.points()))).launch(gpu) | changed
    return prepare(LaunchRequest(**{k: v for k, v in launch.items() if k in LaunchRequest.__annotations__}))
