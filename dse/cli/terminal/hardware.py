"""GPUs as tables: profiles with their sources, differences, occupancy with its curves, tornados."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from dse.cli.terminal.output import stdout
from dse.errors import InputError
from dse.sensitivity import Effect, Sensitivity
from dse.service.records import GpuSummary
from dse.tables.text import microseconds, variant
from simcore import CompileError, Gpu, compile_cuda, occupancy, read_kernel
from simcore.gpu_profiles import read_profile
from simcore.machine_code.binaries import machine_code
from simcore.machine_code.compiler import with_macros_to_define
from simcore.machine_code.cubin import read_cubin
from simcore.model.occupancy import Occupancy, in_words
from simcore.model.occupancy_curves import Step, occupancy_curves
from simcore.views.bars import bar

#: Characters of half a tornado.
HALF = 20
#: What a step is.
STEP = "step: the grid comes in more or fewer waves or turns of the SMs, so the time jumps in between and has no slope"
DEFAULT_REGISTERS = 32
#: Numbers of a list in a line of a table.
LIST_IN_A_LINE = 4


@dataclass(frozen=True)
class Needs:
    """What a block needs of an SM: threads, registers per thread, bytes of shared memory."""

    threads: int
    registers: int
    shared: int


def summary_rows(gpus: Sequence[GpuSummary]) -> list[dict[str, Any]]:
    """All GPUs in a table that fits a screen; peak rates in TFLOPS."""
    return [
        {
            "name": gpu.name,
            "arch": gpu.architecture,
            "SMs": gpu.sms,
            "MHz": round(gpu.clock_mhz),
            "registers\nper SM": gpu.registers_per_sm,
            "shared KiB\nper SM": gpu.shared_bytes_per_sm // 1024,
            "L2\nMiB": gpu.l2_bytes // 2**20,
            "streamed\nGB/s": round(gpu.dram_gb_per_s),
            "FP64\nTFLOPS": gpu.fp64_tflops,
            "FP32\nTFLOPS": gpu.fp32_tflops,
            "FP16 HMMA\nTFLOPS": gpu.fp16_tensor_tflops,
            "label": gpu.label,
        }
        for gpu in gpus
    ]


def field_rows(gpu: Gpu) -> list[dict[str, Any]]:
    """Every number of a GPU with its unit, meaning and source."""
    return [
        {
            "gpu": gpu.name,
            "field": field,
            "value": getattr(gpu, field),
            "unit": Gpu.unit(field),
            "source": gpu.source(field),
        }
        for field in Gpu.model_fields
        if field != "name"
    ]


def difference_rows(gpus: Mapping[str, Gpu]) -> list[dict[str, Any]]:
    """The numbers in which GPUs differ, and by what factor from the first."""
    rows = []
    for field in Gpu.model_fields:
        values = [getattr(gpu, field) for gpu in gpus.values()]
        if field == "name" or all(value == values[0] for value in values):
            continue
        row = {"field": field, "unit": Gpu.unit(field), **dict(zip(gpus, values, strict=True))}
        if len(values) == 2 and all(isinstance(value, int | float) and value for value in values):
            row["ratio"] = values[1] / values[0]
        rows.append(row)
    return rows


def folded(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Rows whose lists go over several lines, so that columns stay narrow."""
    return [{name: _lines(cell) for name, cell in row.items()} for row in rows]


def _lines(cell: object) -> object:
    if not isinstance(cell, tuple):
        return cell
    numbers = list(map(str, cell))
    parts = (numbers[first : first + LIST_IN_A_LINE] for first in range(0, len(numbers), LIST_IN_A_LINE))
    return ",\n".join(map(", ".join, parts))


def check_lines(path: Path) -> str:
    """A sentence about a valid profile file.

    Raises:
        SimcoreError: everything that is wrong with it.
    """
    gpu = read_profile(path)
    own = [field for field in Gpu.model_fields if not gpu.source(field).startswith("as the ")]
    return (
        f"{path}: a valid profile ({gpu.architecture}, {gpu.label}); it states {len(own) - 1} numbers itself"
    )


def needs_of_kernel(
    kernel: Path | None,
    gpu: Gpu,
    defines: Sequence[str],
    block: int,
    registers: int | None,
    shared: int,
) -> Needs:
    """What a block needs on a GPU: as given, or as the kernel's machine code for it says."""
    if kernel is None:
        return Needs(block, DEFAULT_REGISTERS if registers is None else registers, shared)
    if kernel.is_dir():
        raise InputError(
            f"{kernel} is a folder; name its kernel, such as {kernel / 'kernel.cu'} -D NAME=VALUE"
        )
    content = read_cubin(kernel)
    if content.startswith(b"\x7fELF") or kernel.suffix in (".fatbin", ".ptx"):
        cubin = machine_code(content, gpu)
    else:
        macros = dict(word.partition("=")[::2] for word in defines)
        try:
            cubin = compile_cuda(content.decode(errors="replace"), gpu, macros, file_name=kernel.name)
        except CompileError as error:
            raise with_macros_to_define(error) from None
    code = read_kernel(cubin)
    return Needs(block, code.registers if registers is None else registers, shared + code.static_shared_bytes)


def occupancy_rows(needs: Mapping[str, tuple[Gpu, Needs]]) -> list[dict[str, Any]]:
    """GPUs beside each other."""
    rows = []
    for text, (gpu, need) in needs.items():
        found = _occupancy(gpu, need)
        rows.append(
            {
                "gpu": text,
                "block": need.threads,
                "registers": need.registers,
                "shared": need.shared,
                "blocks_per_sm": found.blocks_per_sm,
                "warps_per_sm": found.warps_per_sm,
                "max_warps": gpu.max_warps_per_sm,
                "occupancy": found.theoretical,
                "limited_by": list(found.limiters),
                "label": gpu.label,
            }
        )
    return rows


def print_occupancy(text: str, gpu: Gpu, need: Needs) -> None:
    """One GPU in full: the arithmetic of each limit, and the curves through this launch."""
    found = _occupancy(gpu, need)
    lines = [
        f"{found.blocks_per_sm} blocks per SM: {found.warps_per_sm} of {gpu.max_warps_per_sm} warps, "
        f"{found.theoretical:.0%}; limited by {in_words(found.limiters)}",
        *(f"  {line}" for line in found.arithmetic),
    ]
    head = (
        f"{text} ({gpu.label}): {need.threads} threads per block, {need.registers} registers per thread, "
        f"{need.shared:,} bytes of shared memory per block"
    )
    console = stdout()
    console.print(
        Group(Text(head, style="bold"), Padding(Text("\n".join(lines)), (0, 0, 1, 2), expand=False))
    )
    curves = occupancy_curves(gpu, need.threads, need.registers, need.shared)
    here = {"block": need.threads, "registers": need.registers, "shared": need.shared}
    headings = {
        "block": "threads per block",
        "registers": "registers per thread",
        "shared": "shared bytes per block",
    }
    for what, steps in curves.items():
        console.print(Padding(_curve(headings[what], steps, here[what]), (0, 0, 1, 2), expand=False))


def print_sensitivity(found: Sensitivity, limit: int) -> None:
    """A tornado: the numbers with the largest effects, faster to the left, slower to the right."""
    console, trial = stdout(), found.trial
    head = f"trial {trial.number} on {found.gpu}: {variant(trial.parameters)}; {microseconds(found.time_us)}"
    effects = [effect for effect in found.effects if _largest(found, effect) >= 5e-4]
    console.print(
        Group(Text(head, style="bold"), Text("  what if each number of the GPU were lower or higher?\n"))
    )
    if not effects:
        console.print("  none of these numbers of the GPU changes the time")
        return
    console.print(Padding(_tornado(found, effects[:limit]), (0, 0, 1, 2), expand=False))
    rest = len(found.effects) - len(effects)
    more = f"{len(effects) - limit} more have smaller effects, " if len(effects) > limit else ""
    console.print(f"  {more}{rest} numbers have none; ○ lower, ● higher")
    if any(effect.low_step or effect.high_step for effect in effects[:limit]):
        console.print(f"  {STEP}")


def _occupancy(gpu: Gpu, need: Needs) -> Occupancy:
    return occupancy(gpu, need.threads, need.registers, need.shared)


def _curve(heading: str, steps: Sequence[Step], here: int) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False)
    for column in ("", heading, "blocks", "warps", "occupancy"):
        table.add_column(column, justify="left" if column in ("", "occupancy") else "right")
    table.add_column("limited by")
    for step in steps:
        found = step.occupancy
        mark = ">" if step.first <= here <= step.last else ""
        values = str(step.first) if step.first == step.last else f"{step.first:,}-{step.last:,}"
        share = f"{found.theoretical:4.0%} {bar(found.theoretical / 2) if found.warps_per_sm else ''}"
        limiters = ", ".join(found.limiters)
        table.add_row(mark, values, str(found.blocks_per_sm), str(found.warps_per_sm), share, limiters)
    return table


def _tornado(found: Sensitivity, effects: Sequence[Effect]) -> RenderableType:
    table = Table(box=None, header_style="bold", pad_edge=False)
    for column in ("number of the GPU", "value", "lower", "time", "higher", "time"):
        table.add_column(column, justify="left" if column == "number of the GPU" else "right")
    table.add_column(f"{'faster':>{HALF}} | slower")
    has_steps = any(effect.low_step or effect.high_step for effect in effects)
    if has_steps:
        table.add_column("step")
    scale = max(_largest(found, effect) for effect in effects)
    for effect in effects:
        changes = found.change(effect.low_us), found.change(effect.high_us)
        table.add_row(
            effect.field,
            f"{_number(effect.value)} {Gpu.unit(effect.field)}",
            *(_number(effect.low), _percent(changes[0])),
            *(_number(effect.high), _percent(changes[1])),
            Text(_two_sided(changes, scale)),
            *([_steps(effect)] if has_steps else []),
        )
    return table


def _steps(effect: Effect) -> str:
    sides = ("○", effect.low_step), ("●", effect.high_step)
    return ", ".join(f"{end} {step}" for end, step in sides if step)


def _two_sided(changes: tuple[float | None, float | None], scale: float) -> str:
    """Both changes on one axis, readable in black and white."""
    axis = [" "] * HALF + ["|"] + [" "] * HALF
    for change, end in zip(changes, "○●", strict=True):
        length = round(HALF * (change or 0.0) / scale)
        if length:
            step = 1 if length > 0 else -1
            for place in range(HALF + step, HALF + length, step):
                axis[place] = "─"
            axis[HALF + length] = end
    return "".join(axis).rstrip()


def _largest(found: Sensitivity, effect: Effect) -> float:
    return max(abs(found.change(time) or 0.0) for time in (effect.low_us, effect.high_us))


def _percent(change: float | None) -> str:
    return "-" if change is None else f"{change:+.1%}"


def _number(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:,}" if isinstance(value, int) else f"{value:.4g}"
