"""The compiler options that a space may set: those that change the code, and none that names a file.

NVRTC has options that read and write files (`--include-path`, `--create-pch`, `--time`), so an untrusted space chooses
from a list. An option is given its one long spelling, so that the same option is the same to caches.
"""

import re

from search_spaces.errors import known_or_closest, shown

_SWITCH = ""
_TRUTH = "true|false"
_NUMBERS = r"\d+(,\d+)*"
#: Each option's long name, with the pattern of its value.
_VALUES = {
    "builtin-initializer-list": _TRUTH,
    "builtin-move-forward": _TRUTH,
    "define-macro": r"[A-Za-z_]\w*(=[\w .+-]*)?",
    "device-as-default-execution-space": _SWITCH,
    "device-int128": _SWITCH,
    "diag-error": _NUMBERS,
    "diag-suppress": _NUMBERS,
    "diag-warn": _NUMBERS,
    "disable-warnings": _SWITCH,
    "extra-device-vectorization": _SWITCH,
    "fmad": _TRUTH,
    "ftz": _TRUTH,
    "generate-line-info": _SWITCH,
    "jump-table-density": r"\d{1,3}",
    "prec-div": _TRUTH,
    "prec-sqrt": _TRUTH,
    "ptxas-options": (
        r"(-O|--opt-level=)[0-3]|-d[ls]cm=(ca|cg|cs|cv|wb|wt)|--def-(load|store)-cache=(ca|cg|cs|cv|wb|wt)"
        r"|--allow-expensive-optimizations=(true|false)|--disable-optimizer-constants"
        r"|--register-usage-level=(10|\d)"
    ),
    "restrict": _SWITCH,
    "std": r"c\+\+(11|14|17|20|23)",
    "undefine-macro": r"[A-Za-z_]\w*",
    "use_fast_math": _SWITCH,
}
_SHORT = {
    "D": "define-macro",
    "U": "undefine-macro",
    "Xptxas": "ptxas-options",
    "default-device": "device-as-default-execution-space",
    "lineinfo": "generate-line-info",
    "w": "disable-warnings",
}
#: What other means a space has for an option that it may not set.
_INSTEAD = {
    "I": "headers are found relative to the file that includes them",
    "include-path": "headers are found relative to the file that includes them",
    "arch": "the field gpu decides that",
    "gpu-architecture": "the field gpu decides that",
    "maxrregcount": "use the parameter register_cap",
}


def checked_option(text: str) -> str:
    """An option in its long spelling, as in `--std=c++20`.

    Raises:
        ValueError: the compiler has no such option, its value is not one that it takes, or a space may not set it.
    """
    name, value = _parts(text)
    if name in _INSTEAD:
        raise ValueError(f"a space cannot set {shown(text)}: {_INSTEAD[name]}; remove it")
    first, space, _ = name.partition(" ")
    if space and _SHORT.get(first, first) in _VALUES:
        raise ValueError(
            f"{shown(text)}: join the option and its value with =, as in {text.replace(' ', '=', 1)}"
        )
    if name not in _VALUES:
        advice = known_or_closest(name, _VALUES)
        raise ValueError(f"{shown(text)} is not a compiler option that a space can set; {advice}")
    pattern = _VALUES[name]
    if not pattern and value is not None:
        raise ValueError(f"{shown(text)}: the option takes no value; write --{name}")
    if pattern and not re.fullmatch(pattern, value or "", re.ASCII):
        raise ValueError(f"{shown(text)} has no value that the option takes; it takes {_readable(pattern)}")
    return f"--{name}={value}" if pattern else f"--{name}"


def option_pattern() -> str:
    """A regular expression of the options that a space can set, for editors, which know no other check."""
    values = {**_VALUES, **{short: _VALUES[name] for short, name in _SHORT.items()}}
    options = [f"{name}=({pattern})" if pattern else name for name, pattern in values.items()]
    return rf"^(-?-?({'|'.join(options)})|-[DU]\w.*)$"


def _parts(text: str) -> tuple[str, str | None]:
    """The option's long name and its value; None if it has none."""
    joined = re.fullmatch(r"-([DU])(\w.*)", text, re.ASCII)
    if joined:
        return _SHORT[joined[1]], joined[2]
    name, equals, value = text.partition("=")
    dashes = re.fullmatch(r"--?(?=\w)(.*)", name)
    bare = dashes[1] if dashes else name
    return _SHORT.get(bare, bare), value if equals else None


def _readable(pattern: str) -> str:
    """The pattern of a value in words."""
    words = {
        _NUMBERS: "numbers such as 177,550",
        _VALUES["define-macro"]: "NAME or NAME=VALUE",
        _VALUES["undefine-macro"]: "a name",
        _VALUES["std"]: "c++11, c++14, c++17, c++20 or c++23",
        _VALUES["jump-table-density"]: "0 to 101",
        _TRUTH: "true or false",
    }
    return words.get(pattern, "an option of ptxas such as -O1, -dlcm=cg or --register-usage-level=5")
