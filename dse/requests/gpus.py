"""The GPUs of a request: known ones, with overrides perhaps, those with a name of their own, and uploaded profiles.

A GPU with a name of its own is written `NAME:KNOWN`, as in `big:h100-sxm,sms=144`. Its sweep knows it by its name.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from dse.errors import InputError
from simcore import SimcoreError, UnknownGpu
from simcore.errors import did_you_mean
from simcore.gpu_profiles import gpu_names, profile_text_in_words, with_overrides

#: Longest name of a GPU in the store: of one without a name of its own, with its overrides.
NAME_CHARACTERS = 64
#: Longest profile in the store, as a known GPU with overrides.
PROFILE_CHARACTERS = 100
#: A name of one's own; overrides follow it where an uploaded profile or a file was named with some.
_OWN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}(,[^:]+)?")


class Gpus(NamedTuple):
    """GPUs as a sweep knows them.

    Attributes:
        names: their names, each once.
        profiles: for each name of somebody's own, the known GPU with overrides that it stands for.
    """

    names: tuple[str, ...]
    profiles: Mapping[str, str]


def name_gpus(asked: Iterable[str]) -> Gpus:
    """The GPUs of a request.

    Raises:
        UnknownGpu: there is no such GPU, or it has no such number.
        InputError: there can be no such GPU, or its name is impossible, too long or that of another one.
    """
    names: dict[str, None] = {}
    profiles: dict[str, str] = {}
    for text in asked:
        own, has_name, rest = (part.strip() for part in text.partition(":"))
        words = _in_words(rest if has_name else text)
        name = own if has_name else words
        if has_name:
            _check_own_name(own)
            if profiles.setdefault(own, words) != words:
                raise InputError(f"{own}: names two GPUs, {profiles[own]} and {words}", "/gpus")
        if len(name) > NAME_CHARACTERS:
            what = f"{name}: longer than {NAME_CHARACTERS} characters; give it a name, as in mine:{name}"
            raise InputError(what, "/gpus")
        names[name] = None
    return Gpus(tuple(names), profiles)


def _check_own_name(name: str) -> None:
    if not _OWN_NAME.fullmatch(name):
        raise InputError(f"{name!r}: a GPU's name has at most 40 letters, digits, - and _", "/gpus")
    if name in gpu_names():
        raise InputError(f"{name!r} is a GPU of this installation; choose another name", "/gpus")


def _in_words(gpu: str) -> str:
    try:
        return with_overrides(gpu, {})
    except UnknownGpu:
        raise
    except SimcoreError as error:
        raise InputError(error.message, "/gpus") from error


def check_gpu_of(sweep: str, gpus: Sequence[str], gpu: str) -> None:
    """Refuse a GPU that a sweep does not have.

    Raises:
        InputError: it is none of its GPUs.
    """
    if gpu not in gpus:
        meant = did_you_mean(gpu, gpus) or f"; it has {', '.join(gpus)}"
        raise InputError(f"sweep {sweep} has no GPU {gpu}{meant}")


class GpuFile(BaseModel):
    """A profile as text, as sent and stored.

    Attributes:
        yaml: text of the file: `name`, `base`, and each number that differs, with unit and source.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    yaml: str = Field(max_length=1 << 15)

    def in_words(self, name: str) -> str:
        """The profile as a known GPU with overrides.

        Raises:
            InputError: it cannot be stored under that name; with everything that is wrong with it.
        """
        if name in gpu_names():
            raise InputError(f"{name!r} is a GPU of this installation; choose another name", "name")
        try:
            words = profile_text_in_words(self.yaml, name)
        except SimcoreError as error:
            raise InputError(error.message, "/yaml") from error
        if len(words) > PROFILE_CHARACTERS:
            raise InputError(
                f"{name}: {words} is longer than {PROFILE_CHARACTERS} characters; make some numbers parameters, as "
                "gpu.sms",
                "/yaml",
            )
        return words
