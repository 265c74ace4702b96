"""Profiles of GPUs that users upload."""

from pydantic import BaseModel, ConfigDict, Field

from dse.errors import InputError
from simcore import SimcoreError
from simcore.gpu_profiles import gpu_names, profile_text_in_words

#: Longest name of a GPU in the store, with its overrides.
GPU_CHARACTERS = 64


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
        if len(words) > GPU_CHARACTERS:
            raise InputError(
                f"{name}: {words} is longer than {GPU_CHARACTERS} characters; make some numbers parameters, as gpu.sms",
                "/yaml",
            )
        return words
