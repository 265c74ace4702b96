"""Representations of a space: its files, its outline in lists, and what users pass to name it."""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import Base64Bytes, BaseModel, ConfigDict

from dse.errors import InputError
from search_spaces import Space, Value, catalog_names, load_space, parse_space
from search_spaces.binaries import is_binary
from search_spaces.fields import is_inside
from search_spaces.loading import SPACE_FILE, is_path
from simcore.errors import did_you_mean

#: Maximum number of points that an outline counts.
COUNTED_SIZE = 2**20


class SpaceFiles(BaseModel):
    """The files of a space as texts, as sent and stored.

    Attributes:
        yaml: text of the `space.yaml`.
        source: text of the CUDA source.
        source_file: name of the source in compiler messages.
        headers: texts of the files that the source includes in quotes, by their names there.
        files: contents of its .npy files, and of a source that is a binary, by name; in base64 where they are sent.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    yaml: str
    source: str
    source_file: str = "kernel.cu"
    headers: dict[str, str] = {}
    files: dict[str, Base64Bytes] = {}

    @classmethod
    def of(cls, space: Space) -> "SpaceFiles":
        """The files that a space was read from."""
        return cls(
            yaml=space.yaml,
            source=space.source,
            source_file=space.source_name,
            headers=dict(space.headers),
            files=encoded(space.files),
        )

    def write(self, folder: Path) -> Path:
        """Write the files to a folder; returns the path of the `space.yaml`.

        Raises:
            InputError: a file exists already, or would be outside the folder.
        """
        source = {} if is_binary(self.source_file) else {self.source_file: self.source}
        texts = {"space.yaml": self.yaml, **source, **self.headers}
        contents = {name: text.encode() for name, text in texts.items()} | self.files
        if outside := [name for name in contents if not is_inside(name)]:
            raise InputError(f"{outside[0]!r} would be written outside {folder}; refusing this space")
        if there := [name for name in contents if (folder / name).exists()]:
            raise InputError(f"{folder / there[0]} exists; choose another folder")
        for name, content in contents.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        return folder / "space.yaml"

    def parse(self) -> Space:
        """The space; SpaceError with all of its problems."""
        return parse_space(self.yaml, self.source, self.source_file, self.headers, self.files)


def encoded(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Files in base64, as `SpaceFiles` takes them."""
    return {name: b64encode(content) for name, content in files.items()}


@dataclass(frozen=True)
class SpaceOutline:
    """Summary of a space for lists of spaces.

    Attributes:
        workload: the parameters that describe the problem rather than the variant.
        points: number of valid points over all workloads; None if there are too many to count.
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
        return cls(space.name, parameters, list(space.workload), list(space.gpus), points)


def folders_with_spaces() -> list[str]:
    """The folders here that hold a space."""
    return sorted(file.parent.name for file in Path().glob(f"*/{SPACE_FILE}"))


def no_folder_either(error: Exception, space: str) -> InputError:
    """The refusal of a name that is no space, with the folders here that it may mean."""
    folders = did_you_mean(space, folders_with_spaces())
    return InputError(f"{error}; there is no such folder here, either{folders}", "/space")


def space_argument(space: str | Path) -> str | SpaceFiles:
    """The `space` of a request: a name unchanged, a folder or a file as its contents.

    Raises:
        SpaceError: the path exists, but is not a valid space.
        InputError: it is neither a name nor a path.
    """
    if not isinstance(space, str | Path):
        what = f"a space is given by its name, or the path of its folder or space.yaml, not by a {type(space).__name__}"
        raise InputError(what, "/space")
    path = Path(space)
    if isinstance(space, str) and (space in catalog_names() or not (path.exists() or is_path(space))):
        return space
    return SpaceFiles.of(load_space(space))
