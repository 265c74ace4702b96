"""The machine code of a trial with its predicted issues and stalls, and that of two trials aligned."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from dse.evaluation.evaluate import profile_task
from dse.evaluation.points import task_for
from dse.notebooks import html_table
from dse.requests.specs import restore_space
from dse.store import SweepSpec, Trial

if TYPE_CHECKING:
    from simcore.views.instruction_profile import InstructionProfile

#: A register or predicate with its number; two builds of one statement differ in these.
_REGISTER = re.compile(r"\b(U?[RPB])\d+\b")
#: Marks of aligned instructions: equal, equal but for registers, other, in the first alone, in the second alone.
SAME, MOVED, OTHER, FIRST, SECOND = "", "~", "|", "<", ">"


@dataclass(frozen=True)
class Pair:
    """Instructions of two trials that stand for each other; None where one has none.

    Attributes:
        mark: empty if both are equal, `~` if only registers differ, `|` if they differ, `<` or `>` for one alone.
    """

    mark: str
    first: "InstructionProfile | None"
    second: "InstructionProfile | None"


@dataclass(frozen=True, repr=False)
class MachineCode:
    """The machine code of a trial as its GPU executes it.

    Attributes:
        trial: the trial.
        kernel: the name of the kernel.
        instructions: in address order, each with how often the timed SM issued it, and its stalls.
    """

    trial: Trial
    kernel: str
    instructions: tuple["InstructionProfile", ...]

    def __repr__(self) -> str:
        return f"MachineCode({self.trial!r}, {len(self.instructions)} instructions)"

    def _repr_html_(self) -> str:
        """The instructions as a table, for notebooks."""
        head = ("address", "instruction", "issues", "stalls", "waits for")
        return html_table(repr(self), head, [_cells(each) for each in self.instructions])

    def __str__(self) -> str:
        return "\n".join(f"{each.address:#06x}  {each.text}" for each in self.instructions)

    def rows(self) -> list[dict[str, Any]]:
        """A row for each instruction."""
        return [
            {
                "address": each.address,
                "instruction": each.text,
                "source": str(each.source or "") or None,
                "issues": each.issues,
                "stalled": each.stalled,
                "share": each.share,
                "stalls": dict(each.stalls),
            }
            for each in self.instructions
        ]

    def against(self, other: "MachineCode") -> list[Pair]:
        """These instructions beside those of another trial, aligned by all but their registers."""
        words = [[_REGISTER.sub(r"\1", each.text) for each in code.instructions] for code in (self, other)]
        return list(_paired(words, (self.instructions, other.instructions)))


def machine_code(spec: SweepSpec, trial: Trial) -> MachineCode:
    """The machine code of a trial.

    Raises:
        SimcoreError: the trial can no longer be simulated.
    """
    profile = profile_task(task_for(restore_space(spec), trial.parameters, trial.gpu))
    return MachineCode(trial, profile.kernel, tuple(profile.instructions))


def _cells(each: "InstructionProfile") -> tuple[str, ...]:
    """An instruction in a table: where, what, how often, its share of the stalls, and their most frequent reason."""
    reason = max(each.stalls, key=each.stalls.__getitem__) if each.stalled else ""
    return f"{each.address:#06x}", each.text, f"{each.issues:,}", f"{each.share:.1%}", reason


def _paired(words: Sequence[list[str]], codes: Sequence[Sequence["InstructionProfile"]]) -> Iterator[Pair]:
    for what, *ends in SequenceMatcher(a=words[0], b=words[1], autojunk=False).get_opcodes():
        parts = codes[0][ends[0] : ends[1]], codes[1][ends[2] : ends[3]]
        for first, second in zip_longest(*parts):
            yield Pair(_mark(what == "equal", first, second), first, second)


def _mark(is_alike: bool, first: "InstructionProfile | None", second: "InstructionProfile | None") -> str:
    if first is None:
        return SECOND
    if second is None:
        return FIRST
    if first.text == second.text:
        return SAME
    return MOVED if is_alike else OTHER
