"""Reads a space's files, which must be inside its folder: a downloaded space must not read other files."""

import posixpath
import re
from pathlib import Path

from search_spaces.errors import Problem, SpaceError
from search_spaces.fields import is_inside
from search_spaces.limits import MAX_DATA_BYTES, MAX_HEADERS, MAX_SPACE_BYTES

_QUOTED_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"', re.MULTILINE)


def read_text(path: Path, limit: int) -> str:
    """A file's text; SpaceError if it cannot be read or is larger than the limit in bytes."""
    try:
        return _read(path, limit).decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        raise SpaceError([Problem(f"{path} cannot be read: {error}")]) from None


def _read(path: Path, limit: int) -> bytes:
    try:
        with path.open("rb") as file:
            content = file.read(limit + 1)
    except OSError as error:
        raise SpaceError([Problem(f"{path} cannot be read: {error}")]) from None
    if len(content) > limit:
        what = f"{path} is larger than {limit} bytes; remove what the kernel does not need"
        raise SpaceError([Problem(what)])
    return content


class SpaceFolder:
    """The folder of a space.yaml; nothing outside it is read, even through symbolic links."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def source(self, name: str) -> str:
        """The text of the source; SpaceError if it does not exist."""
        path = self._path(name, "source")
        if path is None:
            what = f"{name} is not in {self._folder}; add it or correct the name"
            raise SpaceError([Problem(what, "source")])
        return read_text(path, MAX_SPACE_BYTES)

    def content(self, name: str, asked_by: str) -> bytes:
        """The bytes of a file that a field names; SpaceError if it does not exist."""
        path = self._path(name, asked_by)
        if path is None:
            what = f"{name} is not in {self._folder}; add it or correct the name"
            raise SpaceError([Problem(what, asked_by)])
        return _read(path, MAX_DATA_BYTES)

    def headers(self, source_name: str, source: str) -> dict[str, str]:
        """The headers included in quotes by the source, recursively, by path relative to the folder.

        An include is looked up relative to the file that contains it. A missing one may be a toolkit
        header or in code that is not compiled: the compiler will report it otherwise.
        """
        headers: dict[str, str] = {}
        waiting = [(source_name, source)]
        while waiting:
            includer, text = waiting.pop()
            for target in dict.fromkeys(_QUOTED_INCLUDE.findall(text)):
                name = posixpath.normpath(posixpath.join(posixpath.dirname(includer), target))
                if name in (*headers, source_name) or not is_inside(name):
                    continue
                path = self._path(name, includer)
                if path is None:
                    continue
                if len(headers) == MAX_HEADERS:
                    raise SpaceError(
                        [Problem(f"includes more than {MAX_HEADERS} headers; merge some", source_name)]
                    )
                headers[name] = read_text(path, MAX_SPACE_BYTES)
                waiting.append((name, headers[name]))
        return headers

    def _path(self, name: str, asked_by: str) -> Path | None:
        """The path of a file of the folder, or None; SpaceError if links lead out of the folder."""
        path = self._folder / name
        if not path.is_file():
            return None
        if not path.resolve().is_relative_to(self._folder.resolve()):
            what = f"{name} leads out of {self._folder}; copy the file into the folder"
            raise SpaceError([Problem(what, asked_by)])
        return path
