"""Find the recipes of measurements without code: by their parameters, or by the order of launches.

The variants of a kernel are described by a space, which this package does not know. A package that reads spaces
registers a function `folder -> Variants` as an entry point of the group `simcore.variants`.
"""

from collections.abc import Sequence
from dataclasses import replace
from importlib.metadata import entry_points
from pathlib import Path

from simcore.validation.measurement import Measurement, MeasurementError, Variants

ENTRY_POINTS = "simcore.variants"


def load_variants(folder: str | Path) -> Variants:
    """The variants that a folder with a space.yaml describes.

    Raises:
        SimcoreError: no installed package reads spaces, or the space is invalid.
    """
    readers = entry_points(group=ENTRY_POINTS)
    if not readers:
        raise MeasurementError(f"{folder}: no installed package reads spaces; install cuda-dse")
    try:
        variants: Variants = next(iter(readers)).load()(folder)
    except ModuleNotFoundError as error:
        raise MeasurementError(
            f"{folder}: reading a space needs {error.name}; install it with: pip install 'cuda-dse[service]'"
        ) from error
    return variants


def pair(measurements: Sequence[Measurement], variants: Variants | None) -> list[Measurement]:
    """The same measurements, each with a recipe.

    A measurement that has one keeps it. One with parameters is paired by them; measurements without parameters
    (launches recorded by a profiler) are assumed to be the points of the space in order.

    Raises:
        MeasurementError: there is no such variant, or the launches do not match the space.
    """
    if all(m.recipe for m in measurements):
        return list(measurements)
    if variants is None:
        raise MeasurementError(
            f"{measurements[0].place}: the file contains no code; pass the folder with the space.yaml of its "
            "variants as --space"
        )
    if all(m.parameters for m in measurements):
        return [replace(m, recipe=variants.recipe(m.parameters)) for m in measurements]
    return _pair_in_order(measurements, variants)


def _pair_in_order(measurements: Sequence[Measurement], variants: Variants) -> list[Measurement]:
    launches = [m for m in measurements if m.family == variants.kernel]
    points = list(variants.points())
    if len(launches) != len(points):
        raise MeasurementError(
            f"{measurements[0].place}: {len(launches)} launches of {variants.kernel}, but the space has "
            f"{len(points)} points; profile each once, in order, or add a column for each parameter"
        )
    return [_paired(m, variants, point) for m, point in zip(launches, points, strict=True)]


def _paired(measurement: Measurement, variants: Variants, point: dict[str, object]) -> Measurement:
    recipe = variants.recipe(point)
    if (measurement.grid, measurement.block) not in ((None, None), (recipe.grid, recipe.block)):
        raise MeasurementError(
            f"{measurement.place}: grid {measurement.grid} and block {measurement.block}, but the space's "
            f"next point {point} has {recipe.grid} and {recipe.block}; profile the points in order, or add a "
            "column for each parameter"
        )
    return replace(measurement, recipe=recipe, parameters=point)
