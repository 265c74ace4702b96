"""One variant for all GPUs and workloads, as tables and text."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from rich.table import Table
from rich.text import Text

from dse.answers.portability import Portability, VariantSet
from dse.answers.recommendation import which_is_which
from dse.cli.terminal.output import command, stdout
from dse.handles import Sweep
from dse.tables.text import slowdown, variant
from search_spaces import Point


def portable_rows(found: Portability) -> list[dict[str, Any]]:
    """The portability matrix with the two portable variants before it, one row each."""
    return [
        {
            "tuned_for": name,
            "variant": variant(each.parameters),
            "worst": each.worst,
            "mean": each.mean,
            **dict(zip(map(str, found.cases), each.ratios, strict=True)),
            "parameters": dict(each.parameters),
        }
        for name, each in found.named
    ]


def print_portable(sweep: Sweep, found: Portability) -> None:
    """Print the portable variants, the portability matrix and the sets."""
    console = stdout()
    shares = ", ".join(f"{gpu} {weight:.0%}" for gpu, weight in found.weights.items())
    variants = "variant" if found.candidates == 1 else "variants"
    console.print(
        Text(
            f"slowdown over the best of each GPU and workload, {found.candidates} {variants} that completed "
            f"everywhere; weights: {shares}"
        )
    )
    console.print()
    console.print(_matrix(sweep, found))
    if found.unknown:
        console.print(Text(found.unknown))
    console.print()
    for each in _told(found):
        console.print(Text(f"{_size(len(each.variants))}: at most {slowdown(each.worst)}"), style="bold")
        for parameters in each.variants:
            console.print(Text(f"  {_written(sweep, parameters)}"))
    if found.smallest:
        enough = _size(len(found.smallest.variants))
        console.print(
            Text(f"\n{enough} suffice{'s' if enough == _size(1) else ''} to stay within {found.within:.1%}")
        )
    else:
        console.print(Text(f"\nno set of up to three variants stays within {found.within:.1%}"))
    best = command(f"dse best {sweep.id}")
    console.print(Text(f"\n{which_is_which(len(found.cases))}; `{best}` shows the others"))


def _matrix(sweep: Sweep, found: Portability) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("tuned for", overflow="fold")
    table.add_column("variant", overflow="fold")
    for heading in ("worst", "mean", *map(str, found.cases)):
        table.add_column(heading, justify="right", overflow="fold")
    for name, each in found.named:
        cells = [each.worst, each.mean, *each.ratios]
        table.add_row(name, Text(_written(sweep, each.parameters)), *map(slowdown, cells))
    return table


def _told(found: Portability) -> list[VariantSet]:
    """The sets; a larger one only if that shows, or if it is the one that was asked for."""
    larger = [
        each
        for before, each in pairwise(found.sets)
        if each is found.smallest or slowdown(each.worst) != slowdown(before.worst)
    ]
    return [found.sets[0], *larger]


def _size(variants: int) -> str:
    return ("one variant", "two variants", "three variants")[variants - 1]


def _written(sweep: Sweep, parameters: Point) -> str:
    values: dict[str, Sequence[Any]] = {name: sweep.spec.parameters[name] for name in parameters}
    return variant(parameters, values)
