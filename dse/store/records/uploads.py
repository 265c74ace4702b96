"""What users upload to a server: spaces and profiles of GPUs."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from dse.store.records.digests import hex_digest


@dataclass(frozen=True)
class SpaceRecord:
    """An uploaded space.

    Attributes:
        name: the kernel's name, or one chosen by the client.
        yaml: text of the space file.
        source: text of the kernel's source file, called `source_file`.
        headers: texts of the headers it includes, by file name.
        owner: the name of the token that uploaded it.
        outline: its summary for lists of spaces, so that listing does not parse it.
        created_at: when it was last saved; set by the store.
        files: its .npy files and its source if that is a binary, by name, in base64.
    """

    name: str
    yaml: str
    source: str
    source_file: str
    headers: Mapping[str, str] = field(default_factory=dict)
    owner: str | None = None
    outline: Mapping[str, Any] = field(default_factory=dict)
    created_at: datetime | None = None
    files: Mapping[str, str] = field(default_factory=dict)

    @property
    def digest(self) -> str:
        """The hex digest of the name and the files."""
        files = [dict(self.files)] if self.files else []
        return hex_digest([self.name, self.yaml, self.source, self.source_file, dict(self.headers), *files])


@dataclass(frozen=True)
class GpuRecord:
    """An uploaded profile of a GPU.

    Attributes:
        name: its name in requests.
        yaml: text of the profile.
        words: the same as a known GPU with overrides, by which sweeps know it.
        owner: the name of the token that uploaded it.
    """

    name: str
    yaml: str
    words: str
    owner: str | None = None
