"""What a CUDA source may include: the given headers and the compiler's own, and no other file.

NVRTC opens any file that an `#include` names and quotes its lines in error messages, so an untrusted source could
read files of this machine. Relative names are safe, because the only include folders are the toolkit's. A name that
leaves that folder, an absolute one, or one that only the preprocessor can resolve is refused before compilation.

The text is searched for such directives regardless of surrounding comments, strings, `#if` groups and line splices:
compilers differ on where those begin and end, in corner cases that an attacker would exploit.
"""

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NoReturn

from simcore.errors import CompileError
from simcore.paths import cache_directory

_INTEGERS = "".join(f"using cuda::std::{sign}int{bits}_t;" for sign in ("", "u") for bits in (8, 16, 32, 64))
#: Headers of host compilers: NVRTC has the contents of the first built in, and the others under another name.
HOST_HEADERS = {
    "cuda_runtime.h": "",
    "cuda_runtime_api.h": "",
    "device_launch_parameters.h": "",
    "stdint.h": f"#include <cuda/std/cstdint>\n{_INTEGERS}\n",
    "cstdint": f"#include <cuda/std/cstdint>\n{_INTEGERS}\n",
    **dict.fromkeys(("stdio.h", "cstdio", "assert.h", "cassert"), ""),
}

_OF_NEIGHBOURS = ("crt", "cooperative_groups", "cooperative_groups/details")

_BLANK = r"[ \t\v\f\r]*"
_HASH = r"(?:(?<!\#)\#|%:|\?\?=)"
_HEADER_NAME = re.compile(rf'{_BLANK}(?:"(?P<quoted>[^"<>\\\n]*)"|<(?P<angled>[^"<>\\\n]*)>)')
_DIRECTIVE = re.compile(rf"{_HASH}{_BLANK}(?:(?P<comment>/\*)|(?P<name>include_next|include|import|embed)\b)")
_QUERY = re.compile(r"\b__has_(?:include|include_next|embed)\b")
_DEFINED = re.compile(rf"(?:ifn?def\b{_BLANK}|defined\b{_BLANK}\(?{_BLANK})$")
_ARGUMENT = re.compile(rf"{_BLANK}\({_HEADER_NAME.pattern}{_BLANK}\)")
_WORD = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_ANOTHER_TEXT = re.compile(r"\b(?:include|include_next|import|embed)\b")
_ASSEMBLED_NAME = re.compile(r"##|%:%:|\?\?|\\[ \t\v\f\r]*\n|\\[uU]")  # pasted, or spliced over a line's end
_NEAR = 40  # characters before an operand in which its `defined(` is searched
_QUOTED_INCLUDE = re.compile(rf'^({_BLANK}\#{_BLANK}include{_BLANK})"([^"\n]+)"', re.MULTILINE)
_FORBIDDEN_CHARACTER = re.compile(r"[^\t\n\v\f\r -~\x80-\U0010ffff]")

_ADVICE = "include headers of the kernel's own folder in quotes, and the CUDA toolkit's as <cuda_fp16.h>"


def check_includes(name: str, text: str, headers: Mapping[str, str]) -> None:
    """Refuse a text that includes, or tests for, anything but the given headers and the toolkit's.

    Args:
        name: the text's own name; its quoted includes are looked up relative to its folder first.
        text: a source or a header.
        headers: by name.

    Raises:
        CompileError: with name, line and fix.
    """
    forbidden = _FORBIDDEN_CHARACTER.search(text)
    if forbidden:
        _refuse(name, text, forbidden.start(), f"the control character {forbidden[0]!r}; remove it")
    for reading in _readings(text):
        for at, target, what in _requests(reading):
            if target is None:
                advice = "write the header's name itself, without macros or comments"
                _refuse(name, reading, at, f"{what} hides what it reads; {advice}")
            is_own = _canonical(name, target) in headers
            if not is_own and (target.startswith("/") or ".." in target.split("/")):
                _refuse(name, reading, at, f"{what} {target!r} is outside the kernel's folder; {_ADVICE}")


def with_canonical_names(name: str, text: str, headers: Mapping[str, str]) -> str:
    """The text with its includes of given headers renamed to their given names, the only ones NVRTC looks up."""

    def rename(include: re.Match[str]) -> str:
        canonical = _canonical(name, include[2])
        return f'{include[1]}"{canonical}"' if canonical in headers else include[0]

    return _QUOTED_INCLUDE.sub(rename, text)


def host_headers(text: str) -> dict[str, str]:
    """The `HOST_HEADERS` that a text may include."""
    return {name: header for name, header in HOST_HEADERS.items() if name in text}


def needs_toolkit(text: str) -> bool:
    """Whether a text includes a header of the toolkit."""
    targets = (target for _, target, _ in _requests(text))
    return any(_is_of_toolkit(target) for target in targets if target)


def names_that_may_matter(names: Iterable[str], texts: Sequence[str]) -> set[str]:
    """The macros that may change what is compiled from texts: those that they name.

    All of them, if a text includes more texts, or could put a name together from parts.
    """
    if any(_ANOTHER_TEXT.search(text) or _ASSEMBLED_NAME.search(text) for text in texts):
        return set(names)
    words = {word for text in texts for word in _WORD.findall(text)}
    return {name for name in names if name in words}


def include_paths() -> list[Path]:
    """The compiler's include folders: the toolkit's, and those whose headers include each other by bare name."""
    return [*_toolkit(), *(_toolkit()[0] / folder for folder in _OF_NEIGHBOURS)]


def without_folders(text: str) -> str:
    """The text with toolkit headers named as they are included, not by their path on this machine."""
    for folder in reversed(_toolkit()):
        text = text.replace(f"{folder}/", "")
    return text


@cache
def _toolkit() -> tuple[Path, Path]:
    """The root folders of the headers bundled with the compiler, which are unpacked once."""
    from simcore.machine_code.nvrtc import install_headers, version

    major, minor = version()
    folder = cache_directory(f"toolkit-{major}.{minor}")
    if problem := install_headers(folder):
        raise CompileError(f"the compiler's headers cannot be unpacked to {folder}: {problem}")
    return folder, folder / "cccl"


def _is_of_toolkit(target: str) -> bool:
    if target in HOST_HEADERS:
        return bool(HOST_HEADERS[target])
    if not target or target.startswith("/") or ".." in target:
        return False
    return any((folder / target).is_file() for folder in _toolkit())


def _canonical(includer: str, target: str) -> str:
    """The name of an included header, relative to the folder that all names are relative to."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(includer), target))


def _requests(text: str) -> Iterator[tuple[int, str | None, str]]:
    """Every place that may request a file: position, the file's name if it is literal, and the directive."""
    for directive in _DIRECTIVE.finditer(text):
        name = _HEADER_NAME.match(text, directive.end()) if directive["name"] else None
        what = f"#{directive['name']}" if directive["name"] else "a directive that begins with a comment"
        yield directive.start(), name and (name["quoted"] or name["angled"] or None), what
    for query in _QUERY.finditer(text):
        before = text[max(query.start() - _NEAR, 0) : query.start()].rpartition("\n")[2]
        if not _DEFINED.search(before):
            name = _ARGUMENT.match(text, query.end())
            yield query.start(), name and (name["quoted"] or name["angled"] or None), query[0]


def _readings(text: str) -> Iterator[str]:
    """The text as written and, if different, with lines spliced; line numbers are preserved."""
    yield text
    for splice in (r"\\\r?\Z", r"(?:\\|\?\?/)[ \t\r]*\Z"):
        spliced = _spliced(text, re.compile(splice))
        if spliced != text:
            yield spliced


def _spliced(text: str, splice: re.Pattern[str]) -> str:
    """Every logical line on its first physical line, the others empty."""
    lines: list[str] = []
    parts: list[str] = []
    for line in text.split("\n"):
        end = splice.search(line)
        if end:
            parts.append(line[: end.start()])
        else:
            lines += ["".join([*parts, line]), *[""] * len(parts)]
            parts = []
    return "\n".join([*lines, "".join(parts)])


def _refuse(name: str, text: str, at: int, problem: str) -> NoReturn:
    log = f"{name}({text.count(chr(10), 0, at) + 1}): error: {problem}"
    raise CompileError(f"{name} does not compile:\n{log}", log)
