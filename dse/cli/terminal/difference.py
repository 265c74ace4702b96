"""Two trials beside each other: what changed, and their machine code."""

from collections.abc import Sequence

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

import simcore.views.text.difference as text
from dse.explaining.difference import Difference
from dse.explaining.machine_code import MachineCode, Pair
from dse.tables.text import variant
from simcore.views.instruction_profile import InstructionProfile
from simcore.views.text.instruction_profile import profile_table

#: What the marks of two trials' instructions mean.
MARKS = "~ other registers, | another instruction, < > in one of them alone; issues and stalls are of the timed SM"


def difference(found: Difference) -> RenderableType:
    """The parameters that changed, and what followed."""
    counted = "issued by the whole grid" if found.is_across_gpus else "issued by the timed SM"
    tables = {
        "GPU": found.machine,
        "metric": found.metrics,
        "warp state (warps per issue)": found.stalls,
        counted: found.opcodes,
    }
    return text.difference(found.head, found.ratio, found.reasons, tables)


def listing(code: MachineCode) -> RenderableType:
    """The machine code of a trial."""
    return profile_table(code.instructions, {})


def two_listings(first: MachineCode, second: MachineCode) -> RenderableType:
    """The machine code of two trials, side by side."""
    table = Table(box=None, header_style="bold", pad_edge=False)
    for code in (first, second):
        if code is second:
            table.add_column("")
        table.add_column(_title(code), ratio=1)
        table.add_column("issues", justify="right")
        table.add_column("stalls", justify="right")
    for pair in first.against(second):
        table.add_row(*_cells(pair.first), Text(pair.mark), *_cells(pair.second))
    return table


def pair_rows(pairs: Sequence[Pair]) -> list[dict[str, object]]:
    """Aligned instructions as flat rows."""
    return [
        {"mark": pair.mark, **_named("first", pair.first), **_named("second", pair.second)} for pair in pairs
    ]


def _title(code: MachineCode) -> str:
    return f"trial {code.trial.number} on {code.trial.gpu}: {variant(code.trial.parameters)}"


def _cells(instruction: InstructionProfile | None) -> tuple[Text, str, str]:
    if instruction is None:
        return Text(""), "", ""
    return Text(instruction.text), f"{instruction.issues:,}", f"{instruction.share:.1%}"


def _named(which: str, instruction: InstructionProfile | None) -> dict[str, object]:
    names = ("text", "issues", "share")
    return {f"{which}_{name}": getattr(instruction, name, None) for name in names}
