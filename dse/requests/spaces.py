"""A space as it travels: as texts, as what a list says of it, and as people name it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from dse.errors import InputError
from search_spaces import Space, Value, catalog_names, load_space, parse_space
from search_spaces.schema import is_inside

#: Points that an outline counts at most.
COUNTED_SIZE = 2**20


class SpaceFiles(BaseModel):
    """A space as texts, the way it travels and is stored.

    Attributes:
        yaml: text of the `space.yaml`.
        source: text of the CUDA source.
        source_file: the name that compiler messages give to the source.
        headers: texts of the files that the source includes by quotes, by their names there.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    yaml: str
    source: str
    source_file: str = "kernel.cu"
    headers: dict[str, str] = {}

    @classmethod
    def of(cls, space: Space) -> "SpaceFiles":
        """The texts that a space was read from."""
        return cls(
            yaml=space.yaml,
            source=space.source,
            source_file=space.source_name,
            headers=dict(space.headers),
        )

    def write(self, folder: Path) -> Path:
        """Make files of the texts; the path of the `space.yaml`.

        Raises:
            InputError: one of the files is there already, or would lie outside of the folder.
        """
        texts = {"space.yaml": self.yaml, self.source_file: self.source, **self.headers}
        if outside := [name for name in texts if not is_inside(name)]:
            raise InputError(f"{outside[0]!r} would be written outside of {folder}; this is no honest space")
        if there := [name for name in texts if (folder / name).exists()]:
            raise InputError(f"{folder / there[0]} exists; choose another folder")
        for name, text in texts.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return folder / "space.yaml"

    def parse(self) -> Space:
        """The space; SpaceError with all that is wrong with it."""
        return parse_space(self.yaml, self.source, self.source_file, self.headers)


@dataclass(frozen=True)
class SpaceOutline:
    """What a list of spaces says of one.

    Attributes:
        workload: the parameters that are the problem rather than the variant.
        points: valid points, over all workloads; None when there are too many to count.
    """

    kernel: str
    parameters: Mapping[str, Sequence[Value]]
    workload: Sequence[str]
    gpus: Sequence[str]
    points: int | None

    @classmethod
    def of(cls, space: Space) -> "SpaceOutline":
        """The outline of a space."""
        points = space.count() if space.size <= COUNTED_SIZE else None
        parameters = {name: list(values) for name, values in space.parameters.items()}
        return cls(space.kernel, parameters, list(space.workload), list(space.gpus), points)


def space_argument(space: str | Path) -> str | SpaceFiles:
    """A space as a request takes it: a name as it is, a folder or a file as its texts.

    Raises:
        SpaceError: there is such a path, and it holds no correct space.
    """
    path = Path(space)
    if isinstance(space, str) and (space in catalog_names() or not path.exists()):
        return space
    return SpaceFiles.of(load_space(path))
