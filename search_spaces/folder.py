"""Reading a space's files, which all lie in its folder: a space from elsewhere must not reach for others."""

import posixpath
import re
from pathlib import Path

from search_spaces.errors import Problem, SpaceError
from search_spaces.limits import MAX_HEADERS, MAX_SPACE_BYTES
from search_spaces.schema import is_inside

_QUOTED_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"', re.MULTILINE)


def read_text(path: Path, limit: int) -> str:
    """A file's text; SpaceError when it cannot be read, or has more bytes than the limit."""
    try:
        with path.open("rb") as file:
            content = file.read(limit + 1)
        text = content.decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")
    except (OSError, UnicodeDecodeError) as error:
        raise SpaceError([Problem(f"{path} cannot be read: {error}")]) from None
    if len(content) > limit:
        what = f"{path} is larger than {limit} bytes; leave out what the kernel does not need"
        raise SpaceError([Problem(what)])
    return text


class SpaceFolder:
    """The folder of a space.yaml, from which nothing outside it is read, symbolic links included."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def source(self, name: str) -> str:
        """The text of the source; SpaceError when it is not there."""
        path = self._path(name, "source")
        if path is None:
            what = f"{name} is not in {self._folder}; write it there or correct the name"
            raise SpaceError([Problem(what, "source")])
        return read_text(path, MAX_SPACE_BYTES)

    def headers(self, source_name: str, source: str) -> dict[str, str]:
        """The headers that the source includes in quotes, and that these include, by path from the folder.

        An include is looked up from the folder of the file it stands in. One that is not there may be of the
        toolkit, or in a part that is not compiled: the compiler will say.
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
                        [Problem(f"includes more than {MAX_HEADERS} headers; join some", source_name)]
                    )
                headers[name] = read_text(path, MAX_SPACE_BYTES)
                waiting.append((name, headers[name]))
        return headers

    def _path(self, name: str, asked_by: str) -> Path | None:
        """Where a file of the folder is, or None; SpaceError when links lead out of the folder."""
        path = self._folder / name
        if not path.is_file():
            return None
        if not path.resolve().is_relative_to(self._folder.resolve()):
            what = f"{name} leads out of {self._folder}; copy the file into the folder"
            raise SpaceError([Problem(what, asked_by)])
        return path
