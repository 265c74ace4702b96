"""The pages of what sweeps are made of: GPUs and spaces, all and one of each."""

from collections.abc import Iterable, Sequence
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import HTMLResponse
from markupsafe import Markup

from dse.api.access import Caller, TheCaller, TheService
from dse.api.catalog import GpuName, SpaceName
from dse.api.pages.rendering import PageRoute, page
from dse.requests.spaces import SpaceFiles
from dse.service import LocalService
from dse.service.records import HMMA_NOTE, SpaceSummary, SweepStatus
from dse.store import SweepQuery
from dse.tables.text import shown
from search_spaces import catalog_names, catalog_readme
from simcore import Gpu
from simcore.architectures import sm_version

#: Sweeps in the page of a space, and of its kernel that are looked at for them.
LATEST, LOOKED_AT = 10, 200

#: Words that the rows of a table must have.
Words = Annotated[str, Query(alias="q", max_length=200)]

#: How the source of a number begins that is taken over from another GPU.
TAKEN_OVER = "as the "

router = APIRouter(include_in_schema=False, route_class=PageRoute)


@router.get("/gpus")
def gpus(service: TheService, caller: TheCaller, words: Words = "") -> HTMLResponse:
    """The GPU profiles by architecture, or those with these words, such as an architecture and a label."""
    rates = ["L2, MiB", "DRAM as streamed, GB/s", "FP32, TFLOPS", "FP16 HMMA, TFLOPS"]
    head = ["GPU", "architecture", "SMs", "clock, MHz", *rates, "profile"]
    rows = [
        [
            _link("/gpus", each.name),
            each.architecture,
            str(each.sms),
            f"{each.clock_mhz:,.0f}",
            f"{each.l2_bytes / 2**20:,.0f}",
            f"{each.dram_gb_per_s:,.0f}",
            f"{each.fp32_tflops:,.1f}",
            f"{each.fp16_tensor_tflops:,.0f}",
            each.label,
        ]
        for each in sorted(service.gpus(), key=lambda gpu: sm_version(gpu.architecture))
    ]
    return _searched("GPUs", caller, words, [HMMA_NOTE], head, rows, range(2, 8))


@router.get("/gpus/{name}")
def one_gpu(name: GpuName, service: TheService, caller: TheCaller, words: Words = "") -> HTMLResponse:
    """A GPU: every number with its unit, its meaning and its source."""
    gpu = service.profile(name)
    fields = [field for field in Gpu.model_fields if field not in ("name", "label", "architecture")]
    fields.sort(
        key=lambda field: gpu.source(field).startswith(TAKEN_OVER)
    )  # stable: otherwise as they are grouped
    guessed = sum(gpu.source(field).startswith(TAKEN_OVER) for field in fields)
    notes = [f"{gpu.label.capitalize()} profile, compiled for {gpu.architecture}."]
    if guessed:
        notes.append(
            f"The last {guessed} of {len(fields)} numbers are taken over from another GPU, which their source names."
        )
    head = ["number", "value", "unit", "meaning", "source"]
    rows = [
        [field, _number(getattr(gpu, field)), Gpu.unit(field), Gpu.meaning(field), gpu.source(field)]
        for field in fields
    ]
    return _searched(f"GPU {name}", caller, words, notes, head, rows)


@router.get("/spaces")
def spaces(service: TheService, caller: TheCaller, words: Words = "") -> HTMLResponse:
    """The spaces that a sweep can use, or those with these words."""
    head = ["space", "kernel", "points", "parameters", "GPUs", "from"]
    rows = [
        [
            _link("/spaces", each.name),
            each.kernel,
            _points(each),
            "; ".join(f"{name}: {', '.join(map(shown, values))}" for name, values in each.parameters.items()),
            ", ".join(each.gpus),
            each.owner or each.origin,
        ]
        for each in service.spaces()
    ]
    return _searched("Spaces", caller, words, [], head, rows, [2])


@router.get("/spaces/{name}")
def one_space(name: SpaceName, service: TheService, caller: TheCaller) -> HTMLResponse:
    """A space: its parameters, its GPUs, its files, and the latest sweeps of its kernel."""
    files = service.space(name)
    space = next(each for each in service.spaces() if each.name == name)
    return page(
        "space",
        f"Space {name}",
        caller,
        space=space,
        points=_points(space),
        parameters=[
            (
                parameter,
                "workload" if parameter in space.workload else "variant",
                ", ".join(map(shown, values)),
            )
            for parameter, values in space.parameters.items()
        ],
        readme=catalog_readme(name).split("\n\n") if name in catalog_names() else [],
        texts=_texts(files),
        sweeps=_latest(service, space),
    )


def _searched(
    title: str,
    caller: Caller,
    words: str,
    notes: Sequence[str],
    head: Sequence[str],
    rows: Sequence[Sequence[str]],
    numbers: Sequence[int] = (),
) -> HTMLResponse:
    """A table with a box to search it, which works without scripts."""
    wanted = words.lower().split()
    found = [row for row in rows if all(word in " ".join(row).lower() for word in wanted)]
    return page(
        "searched",
        title,
        caller,
        words=words,
        total=len(rows),
        notes=notes,
        head=head,
        rows=found,
        numbers=numbers,
    )


def _latest(service: LocalService, space: SpaceSummary) -> list[SweepStatus]:
    """The latest sweeps with the space's kernel and parameters."""
    found = service.sweep_page(SweepQuery(name=space.kernel, limit=LOOKED_AT, newest_first=True)).items
    return [sweep for sweep in found if set(sweep.parameters) == set(space.parameters)][:LATEST]


def _texts(files: SpaceFiles) -> Iterable[tuple[str, str]]:
    """The files of a space that people read, by name."""
    yield "space.yaml", files.yaml
    if files.source:
        yield files.source_file, files.source
    yield from files.headers.items()


def _points(space: SpaceSummary) -> str:
    return f"{space.points:,}" if space.points is not None else "many"


def _link(folder: str, name: str) -> Markup:
    return Markup('<a href="{}/{}">{}</a>').format(folder, name, name)


def _number(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(_number, value))
    return f"{value:,}" if isinstance(value, int | float) else str(value)
