"""What can be told from the text of a CUDA source without compiling it: its kernels, its names, what it declares."""

import re
from collections.abc import Iterator, Mapping

_COMMENT_OR_STRING = re.compile(
    r"""(?P<text>"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?)|//[^\n]*|/\*.*?(?:\*/|\Z)""", re.DOTALL
)
_TYPES = "auto|bool|char|double|float|half|int|long|short|signed|size_t|unsigned|u?int(?:8|16|32|64)_t|class|typename"
#: Words with which a name may be put together from parts.
_ASSEMBLED = re.compile(r"##|%:%:|\\[ \t]*\n")


def without_comments(code: str) -> str:
    """The code with each comment as blanks; line numbers stay."""
    return _COMMENT_OR_STRING.sub(
        lambda found: found[0] if found["text"] else " " + "\n" * found[0].count("\n"), code
    )


def kernels(code: str) -> list[str]:
    """The names of the `__global__` functions of a CUDA source.

    Between `__global__` and the name there may be only words, and attributes such as `__launch_bounds__(...)`.
    """
    names: list[str] = []
    word: str | None = None  # the last word since a __global__; None outside such a declaration
    depth = 0  # of the parentheses of an attribute
    for token in re.findall(r"\w+|[^\w\s]", without_comments(code)):
        if depth:
            depth += (token == "(") - (token == ")")
        elif token == "__global__":
            word = ""
        elif word is None:
            continue
        elif token == "(" and word.startswith("__") and word.endswith("__"):
            depth = 1
        elif token == "(":
            names.append(word)
            word = None
        else:
            word = token if re.match(r"\w", token) else None
    return names


def signature(code: str, kernel: str) -> list[str] | None:
    """The declarations of a kernel's parameters; None if they cannot be told, as of a template or with macros."""
    parameters = re.compile(rf"\b{re.escape(kernel)}\s*\(([^()]*)\)")
    texts = set()
    for declaration in re.split(r"[;{}]", without_comments(code)):
        before, is_kernel, after = declaration.partition("__global__")
        found = parameters.search(after) if is_kernel else None
        if found and re.search(r"\btemplate\b", before):
            return None
        if found:
            texts.add(found[1])
    if len(texts) != 1 or "#" in (text := texts.pop()):
        return None
    return [" ".join(part.split()) for part in text.split(",")] if text.strip() else []


def words(code: str) -> set[str] | None:
    """All names in the code; None if it puts names together from parts, so that they cannot be told."""
    bare = without_comments(code)
    return None if _ASSEMBLED.search(bare) else set(re.findall(r"[A-Za-z_]\w*", bare, re.ASCII))


def declarations(files: Mapping[str, str], name: str) -> Iterator[str]:
    """Where the files declare a name themselves, as `kernel.cu:12`: a variable, a template parameter, a macro.

    A macro that gives way to one that is already defined (`#ifndef N`, `#define N 4`) is no declaration.
    """
    variable = rf"\b(?:{_TYPES})[\s*&]+(?:const\s+)?{name}\s*[=;,)\[>{{]"
    macro = rf"^[ \t]*#[ \t]*define[ \t]+{name}\b"
    for file, text in files.items():
        code = without_comments(text)
        gives_way = re.search(rf"#[ \t]*ifndef[ \t]+{name}\b|!\s*defined\b[\s(]*{name}\b", code)
        for pattern in [variable, *([] if gives_way else [macro])]:
            if found := re.search(pattern, code, re.MULTILINE):
                yield f"{file}:{code.count(chr(10), 0, found.start()) + 1}"
