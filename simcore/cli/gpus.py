"""`simcore gpus`: the available profiles, and how far to trust each."""

from typing import Annotated

import typer

from simcore.cli.output import Output, print_csv, print_json, print_page

SHOWN = ("name", "label", "architecture", "sms", "clock_mhz", "max_warps_per_sm", "l2_bytes", "dram_gb_per_s")
WORDS = ("name", "label", "architecture")


def gpus(
    output: Annotated[Output, typer.Option("--output", "-o", help="How to print.")] = Output.TABLE,
) -> None:
    """List the GPUs that can be simulated, each with the label of its profile."""
    from simcore.gpu_profiles import gpu_names, load_gpu
    from simcore.views.text.tables import table

    rows = [load_gpu(name).model_dump(mode="json", include=set(SHOWN)) for name in gpu_names()]
    if output is Output.JSON:
        print_json(rows)
    elif output is Output.CSV:
        print_csv(rows)
    else:
        print_page(table(SHOWN, [[_cell(row[name]) for name in SHOWN] for row in rows], WORDS))


def _cell(value: str | float) -> str:
    return value if isinstance(value, str) else f"{value:,.0f}"
