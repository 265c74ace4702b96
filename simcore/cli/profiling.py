"""`simcore profile KERNEL ...`: where a launch's time goes, by source line or by machine instruction."""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from simcore.cli.launch import StatedLaunch, takes_launch
from simcore.cli.output import Output, print_csv, print_json, print_table
from simcore.cli.prediction import print_head

if TYPE_CHECKING:
    from simcore.machine_code.source_lines import SourceLine
    from simcore.views.instruction_profile import InstructionProfile, LineProfile

#: What a table shows when the hottest come first.
HOTTEST = 20
REASONS_SHOWN = 3
LEFT = ("address", "instruction", "source", "text", "waits for")


class Sort(StrEnum):
    """What comes first."""

    STALLS = "stalls"
    ADDRESS = "address"


class By(StrEnum):
    """What a row is."""

    LINE = "line"
    INSTRUCTION = "instruction"


@takes_launch
def profile(
    launch: StatedLaunch,
    by: Annotated[By, typer.Option("--by", help="What a row is.")] = By.LINE,
    sort: Annotated[
        Sort, typer.Option("--sort", help="The most stalls first, or as the code runs.")
    ] = Sort.STALLS,
    limit: Annotated[
        int | None,
        typer.Option("--limit", min=1, help=f"Rows; of a table by stalls {HOTTEST}, else all."),
    ] = None,
    output: Annotated[Output, typer.Option("--output", "-o", help="How to print.")] = Output.TABLE,
) -> None:
    """Where a launch's time goes: issues and stalls of each source line or machine instruction."""
    from simcore.views.instruction_profile import profile as explain

    found = explain(**launch.arguments)
    parts: list[InstructionProfile | LineProfile] = [*(found.lines if by is By.LINE else found.instructions)]
    rows = found.rows(by.value)
    order = list(range(len(rows)))
    if sort is Sort.STALLS:
        order.sort(key=lambda i: (-parts[i].stalled, -parts[i].issues))
    shown = limit or (HOTTEST if output is Output.TABLE and sort is Sort.STALLS else len(order))
    chosen = order[:shown]
    if output is Output.JSON:
        print_json([rows[i] for i in chosen])
    elif output is Output.CSV:
        print_csv([rows[i] for i in chosen])
    else:
        print_head(f"{found.kernel} on {launch.arguments['gpu']}", found.result)
        print()
        cells = [_cells(parts[i], launch.source) for i in chosen]
        print_table(list(cells[0]), [list(row.values()) for row in cells], LEFT)
        if len(chosen) < len(order):
            print(
                f"the first {len(chosen)} of {len(order)}; --limit N shows more, --sort address all in order"
            )


def _cells(part: "InstructionProfile | LineProfile", source: dict[str, list[str]]) -> dict[str, str]:
    from simcore.views.instruction_profile import LineProfile

    place = {"source": str(part.source or "")}
    if isinstance(part, LineProfile):
        place |= {"text": _text(part.source, source)}
    else:
        place = {"address": f"{part.address:#06x}", "instruction": part.text, **place}
    return {
        **place,
        "issues": f"{part.issues:,}",
        "stalled cycles": f"{part.stalled:,}",
        "share": f"{part.share:.1%}",
        "waits for": _reasons(part),
    }


def _text(line: "SourceLine | None", source: dict[str, list[str]]) -> str:
    if line is None or line.file not in source or line.line > len(source[line.file]):
        return ""
    return source[line.file][line.line - 1].strip()


def _reasons(part: "InstructionProfile | LineProfile") -> str:
    most = sorted(part.stalls.items(), key=lambda item: -item[1])[:REASONS_SHOWN]
    return ", ".join(f"{reason} {count / part.stalled:.0%}" for reason, count in most)
