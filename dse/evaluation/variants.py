"""A space's points for the simulator's validation of measured files without code.

`simcore validate --space FOLDER` finds `space_variants` through the entry point `simcore.variants`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dse.evaluation.contents import device_arguments, device_variables
from search_spaces import Space, SpaceError, load_space
from simcore.validation import MeasurementError, Recipe


@dataclass(frozen=True)
class SpaceVariants:
    """The variants of a space, as `simcore.validation.Variants`."""

    space: Space

    @property
    def kernel(self) -> str:
        """The kernel's name."""
        return self.space.kernel

    def points(self) -> Iterator[dict[str, Any]]:
        """Every valid point, in index order."""
        return (dict(point) for point in self.space.points())

    def recipe(self, parameters: Mapping[str, Any]) -> Recipe:
        """How to build and launch a point; MeasurementError if the space has no such point."""
        space = self.space
        try:
            launch, arguments = space.launch(parameters), space.arguments(parameters)
            variables = space.variables(parameters)
            return Recipe(
                source=space.source,
                grid=launch.grid,
                block=launch.block,
                arguments=tuple(device_arguments(arguments, space.files)),
                defines=space.defines(parameters),
                register_cap=space.register_cap(parameters),
                dynamic_shared_bytes=launch.dynamic_shared_bytes,
                kernel=space.kernel,
                file_name=space.source_at(parameters),
                headers=space.headers,
                options=space.compiler_options(parameters),
                variables=device_variables(variables, space.files),
                cold=space.cache == "cold",
                bounds=space.bounds,
                binary=space.files.get(space.source_at(parameters)),
            )
        except SpaceError as error:
            raise MeasurementError(
                f"{dict(parameters)} is not a point of the space {space.kernel}: {error}"
            ) from error


def space_variants(folder: str | Path) -> SpaceVariants:
    """The variants described by a folder's space.yaml; MeasurementError if it is invalid."""
    try:
        return SpaceVariants(load_space(folder))
    except SpaceError as error:
        raise MeasurementError(str(error)) from error
