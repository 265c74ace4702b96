"""All known forms of an architecture, indexed by opcode bits."""

import json
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from simcore.architectures import sm_version
from simcore.machine_code.encoding.form import OPCODE, Form, Line

TABLES = Path(__file__).parent / "tables"
"""One file per architecture, one form per line."""


def urz(architecture: str) -> int:
    """The number of URZ: the last of 64 uniform registers, or of 256 since Blackwell."""
    return 255 if sm_version(architecture) >= 100 else 63


class EncodingTable:
    """The forms of an architecture."""

    def __init__(self, architecture: str, forms: Iterable[Form] = ()) -> None:
        self.architecture = architecture
        self._urz = urz(architecture)
        # By opcode bits, then by mask, then by value: a few lookups find a word's form.
        self._forms: dict[int, dict[int, dict[int, Form]]] = {}
        for form in forms:
            self.add(form)

    def __iter__(self) -> Iterator[Form]:
        for masks in self._forms.values():
            for values in masks.values():
                yield from values.values()

    def add(self, form: Form) -> None:
        """Add a form."""
        masks = self._forms.setdefault(form.value & OPCODE, {})
        masks.setdefault(form.mask, {})[form.value] = form

    def find(self, word: int) -> Form | None:
        """The form of a word, or None."""
        for mask, values in self._forms.get(word & OPCODE, {}).items():
            form = values.get(word & mask)
            if form and form.covers(word):
                return form
        return None

    def line(self, word: int) -> Line | None:
        """The text of a word, or None if no form covers it."""
        form = self.find(word)
        return form.line(word, self._urz) if form else None

    def save(self, path: Path) -> None:
        """Write the table in an order that does not depend on how it was derived."""
        lines = sorted((form.value & OPCODE, form.opcode, json.dumps(form.to_json())) for form in self)
        path.write_text("".join(f"{line}\n" for *_, line in lines))


@cache
def load_table(architecture: str) -> EncodingTable:
    """The table of an architecture; empty if it has no file."""
    path = TABLES / f"{architecture}.jsonl"
    lines = path.read_text().splitlines() if path.exists() else []
    return EncodingTable(architecture, (Form.from_json(json.loads(line)) for line in lines))
