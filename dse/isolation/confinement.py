"""Confinement of a process that handles untrusted input: file system, network, resource limits.

The file system and TCP are restricted with Landlock (Linux 5.13 and later; TCP 6.7), which needs no privileges. If the
kernel lacks it, `landlock_version` is 0 and only the resource limits apply.
"""

import ctypes
import os
import resource
import signal
import struct
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

# Linux's constants, the same on every architecture (include/uapi/linux/landlock.h, prctl.h).
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION_FLAG = 1
_PATH_BENEATH = 1
_NO_NEW_PRIVILEGES = 38

_WRITE_FILE, _READ_FILE, _READ_DIR, _REMOVE_FILE, _MAKE_FILE, _TRUNCATE = (
    1 << bit for bit in (1, 2, 3, 5, 8, 14)
)
_OF_FILES = _WRITE_FILE | _READ_FILE | _TRUNCATE
_READ = _READ_FILE | _READ_DIR
_WRITE = _READ | _WRITE_FILE | _REMOVE_FILE | _MAKE_FILE | _TRUNCATE
#: Number of file access bits in each version of Landlock.
_FILE_BITS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
_TCP = 0b11  # bind and connect, from version 4
_SCOPES = 0b11  # abstract sockets and signals, from version 6

#: Environment variables that are kept; none contains a secret of the service.
KEPT_VARIABLES = (
    *("HOME", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "PATH", "SIMCORE_CACHE", "TMPDIR", "XDG_CACHE_HOME"),
    "RAY_RAYLET_PID",  # which node it is
)
KEPT_PREFIX = "NUMBA_"

_FILE_BYTES = 2**28  # maximum size of a written file


def clean_environment() -> dict[str, str]:
    """The environment for a process that handles untrusted input."""
    return {
        name: value
        for name, value in os.environ.items()
        if name in KEPT_VARIABLES or name.startswith(KEPT_PREFIX)
    }


@dataclass(frozen=True)
class CallLimits:
    """Resource limits of one call.

    Attributes:
        wall_s: seconds of wall clock.
        cpu_s: seconds of CPU time.
        memory_bytes: memory in bytes, in addition to that of the process when the call begins.
    """

    wall_s: float = 60
    cpu_s: int = 30
    memory_bytes: int = 2 * 2**30

    def apply(self) -> None:
        """Apply the limits to this process; the kernel kills it if it exceeds one."""
        in_use = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (in_use + self.memory_bytes,) * 2)
        resource.setrlimit(resource.RLIMIT_CPU, (self.cpu_s, self.cpu_s + 1))
        resource.setrlimit(resource.RLIMIT_FSIZE, (_FILE_BYTES,) * 2)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, self.wall_s)


@cache
def landlock_version() -> int:
    """The kernel's version of Landlock; 0 if it is missing or disabled."""
    return max(_syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), _VERSION_FLAG), 0)


def close_files_and_network(readable: Iterable[Path], writable: Iterable[Path]) -> None:
    """Restrict this process permanently to these folders and its open files; no effect without Landlock."""
    version = landlock_version()
    if not version:
        return
    handled = (1 << _FILE_BITS[min(version, max(_FILE_BITS))]) - 1
    attributes = struct.pack("<QQQ", handled, _TCP, _SCOPES)[
        : 8 if version < 4 else 16 if version < 6 else 24
    ]
    ruleset = _checked(_syscall(_CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), 0))
    for paths, access in ((readable, _READ), (writable, _WRITE)):
        for path in paths:
            _allow(ruleset, path, access & handled)
    _checked(_libc().prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0))
    _checked(_syscall(_RESTRICT_SELF, ruleset, 0))
    os.close(ruleset)


def _allow(ruleset: int, path: Path, access: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    if not path.is_dir():
        access &= _OF_FILES
    _checked(_syscall(_ADD_RULE, ruleset, _PATH_BENEATH, struct.pack("<Qi", access, place), 0))
    os.close(place)


def _syscall(number: int, *arguments: object) -> int:
    return int(_libc().syscall(number, *arguments))


def _checked(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"Landlock: {os.strerror(number)}")
    return result


@cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)
