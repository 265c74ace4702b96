"""The pages of sweeps: all, one with its report, several compared; and the documentation of the API."""

import threading
from functools import partial
from typing import Annotated, get_args
from urllib.parse import quote, urlencode

from fastapi import APIRouter, Query
from fastapi.openapi.docs import get_swagger_ui_html
from fastapi.responses import HTMLResponse

from dse.answers.between_gpus import as_table, between_gpus, worth
from dse.answers.counterpart import counterpart
from dse.answers.once import named as named_in
from dse.answers.recommendation import CODES, which_is_which
from dse.answers.summary import (
    advice_once,
    asked,
    dominant_stalls,
    in_short,
    taken_rows,
    workloads_in_words,
)
from dse.answers.tolerance import in_words
from dse.answers.traffic import limit_in_words
from dse.api.access import TheCaller, TheService
from dse.api.pages.rendering import PageRoute, page
from dse.api.sweeps import SweepId
from dse.errors import InputError
from dse.service import LocalService
from dse.store import SweepQuery, SweepSpec, TrialQuery, TrialRecord
from dse.store.records import ACTIVE, SweepState
from dse.tables.text import INTERVAL, interval, microseconds, number, shown, variant

#: Sweeps in a page.
SWEEPS = 50
STATES = get_args(SweepState)
#: What `/docs` is where scripts do not run.
ABOVE_SWAGGER = (
    '<nav style="padding: 1rem 20px; font: 16px system-ui, sans-serif">'
    '<a href="/" style="color: #3b8ad9">Sweeps</a></nav>'
    '<noscript>This page needs scripts; <a href="/openapi.json">/openapi.json</a> has the same.</noscript>'
)
#: Swagger UI has a dark mode, and leaves it to the page.
LIKE_THE_SYSTEM = (
    '<meta name="color-scheme" content="light dark"><script>document.documentElement.classList.toggle("dark-mode", '
    'matchMedia("(prefers-color-scheme: dark)").matches)</script>'
    "<style>.swagger-ui .renderedMarkdown code { padding: 1px 4px; }</style>"
)
#: What limits a best variant, in the page of a sweep.
LIMITS_HEAD = ("speedup", "ties", "dominant stalls", "regime", "profile")
#: Ties of larger sweeps are left to `dse best`: every page view would read all trials.
ANSWERED_TRIALS = 20_000
#: Reports of larger sweeps take more of the server than others spare; `dse report` writes them elsewhere.
REPORT_TRIALS = 100_000
#: A report runs scripts of its own, for its figures, and can reach nothing with them.
REPORT_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline' 'unsafe-eval'; img-src data: blob:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox allow-scripts allow-downloads"
)

router = APIRouter(include_in_schema=False, route_class=PageRoute)
_one_report_at_a_time = threading.Lock()

Offset = Annotated[int, Query(ge=0, le=2**31 - 1)]


@router.get("/")
def sweeps(
    service: TheService,
    caller: TheCaller,
    state: Annotated[list[SweepState] | None, Query()] = None,
    offset: Offset = 0,
) -> HTMLResponse:
    """The sweeps, newest first."""
    found = service.sweep_page(SweepQuery(tuple(state or ()), limit=SWEEPS, offset=offset, newest_first=True))

    def at(place: int) -> str:
        return f"/?{urlencode({'state': state or (), 'offset': max(place, 0)}, doseq=True)}"

    return page(
        "sweeps",
        "Sweeps",
        caller,
        page=found,
        states=STATES,
        chosen=state or [],
        live=any(each.state in ACTIVE for each in found.items),
        earlier=at(offset - SWEEPS),
        later=at(offset + SWEEPS),
    )


@router.get("/sweeps/{sweep}")
def one_sweep(sweep: SweepId, service: TheService, caller: TheCaller) -> HTMLResponse:
    """A sweep: how far it is, its best variants, what was asked for."""
    status, spec = service.status(sweep), service.spec(sweep)
    metric = spec.objectives[0][1]
    winners = service.winners(sweep)
    answers = service.answers(sweep) if status.counts.done <= ANSWERED_TRIALS else []
    tied = {best.trial.number: best.tied for best in answers}
    rows = [_best_row(service, sweep, trial, spec, tied.get(trial.number, "")) for trial in winners]
    named = {row[0] for row in rows}
    rows += [
        [case, "none so far" if status.is_active else "none", *[""] * 8]
        for gpu in spec.gpus
        for workload in spec.workloads
        if (case := f"{gpu} {variant(workload)}".strip()) not in named and rows
    ]
    ratios = between_gpus(spec, answers)
    ratio_head, ratio_rows = as_table(ratios) if ratios else ([], [])
    return page(
        "sweep",
        f"{status.name}: sweep {status.id}",
        caller,
        sweep=status,
        asked=asked(spec),
        workloads=workloads_in_words(spec),
        live=status.is_active,
        winners_head=[
            "GPU",
            "best variant",
            *(("time", INTERVAL) if metric == "time_us" else (metric, f"time, {INTERVAL}")),
            *LIMITS_HEAD,
            "trial",
        ],
        winners_numbers=[2, 3, 4, 5, 9],
        winners=rows,
        short=in_short(spec, answers, partial(service.speedup, sweep)),
        tolerance=in_words({best.label: best.tolerance for best in answers}) if answers else "",
        which=which_is_which(len(answers)),
        codes=CODES if any(best.codes < best.ties for best in answers) else "",
        ties=taken_rows(spec, answers),
        ratio_head=ratio_head,
        ratios=ratio_rows,
        worth=worth(spec, ratios),
        advice=[(named_in(cases, len(answers)), line) for cases, line in advice_once(answers)],
        failures=[
            (reason, f"{count:,}", _example(service, sweep, reason))
            for reason, count in status.counts.failures.items()
        ],
        parameters=[(name, ", ".join(map(shown, values))) for name, values in spec.parameters.items()],
    )


@router.get("/sweeps/{sweep}/report")
def report(sweep: SweepId, service: TheService, caller: TheCaller) -> HTMLResponse:
    """The report of a sweep; nothing is simulated for it, so it has no source lines."""
    from dse.report.data import ReportData  # plotly and pandas take a second to load
    from dse.report.page import render

    status = service.status(sweep)
    if status.counts.done > REPORT_TRIALS:
        raise InputError(
            f"the report of {status.counts.done:,} trials is not made here (at most {REPORT_TRIALS:,}): "
            f"`dse report {sweep} --server URL` writes it on your machine"
        )
    with _one_report_at_a_time:
        text = render(ReportData(service, sweep, profiles=False))
    text = text.replace("<body>", f'<body>\n<nav><a href="/sweeps/{quote(sweep)}">The sweep</a></nav>', 1)
    return HTMLResponse(text, headers={"Content-Security-Policy": REPORT_POLICY})


@router.get("/compare")
def compare(
    service: TheService,
    caller: TheCaller,
    sweep: Annotated[list[str] | None, Query(max_length=50)] = None,
) -> HTMLResponse:
    """The best of several sweeps by GPU and workload, relative to the first sweep."""
    if not sweep or len(sweep) < 2:
        raise InputError("mark two sweeps or more to compare them")
    rows = _compared(service, sweep)
    without = [each for each in dict.fromkeys(sweep) if all(row[1] != each for row in rows)]
    notes = [_said_of(rows, sweep[0])]
    notes += [f"Without a complete trial: {', '.join(without)}."] if rows and without else []
    head = ["GPU", "sweep", "time", f"times as fast as {sweep[0]}", "variant", "limit"]
    title = f"{', '.join(sweep[:-1])} and {sweep[-1]} compared"
    return page("table", title, caller, notes=notes, head=head, rows=rows, numbers=[2, 3])


@router.get("/docs")
def docs(caller: TheCaller) -> HTMLResponse:
    """The documentation of the API (Swagger UI), from files of this server."""
    page_with_scripts = get_swagger_ui_html(
        openapi_url="/openapi.json",
        title="cuda-dse: API",
        swagger_js_url="/static/swagger-ui-bundle.js",
        swagger_css_url="/static/swagger-ui.css",
        swagger_favicon_url="/static/favicon.png",
    )
    text = bytes(page_with_scripts.body).decode()
    text = text.replace("</head>", f"{LIKE_THE_SYSTEM}</head>", 1)
    return HTMLResponse(text.replace("<body>", f"<body>{ABOVE_SWAGGER}", 1))


def _best_row(service: LocalService, sweep: str, trial: TrialRecord, spec: SweepSpec, ties: str) -> list[str]:
    """The best of a GPU and workload, and what limits it."""
    return [
        _case(trial, spec),
        variant(spec.chosen_of(trial.parameters)),
        _value(trial, spec.objectives[0][1]),
        interval(trial.metrics),
        _times(service.speedup(sweep, trial)),
        ties,
        dominant_stalls(trial),
        limit_in_words(trial),
        str(trial.metrics.get("label", "")),
        str(trial.number),
    ]


def _compared(service: LocalService, sweeps: list[str]) -> list[list[str]]:
    """A row for each GPU, workload and sweep."""
    specs = {sweep: service.spec(sweep) for sweep in dict.fromkeys(sweeps)}
    found = {
        sweep: {
            (trial.gpu, variant(spec.workload_of(trial.parameters))): trial
            for trial in service.winners(sweep)
        }
        for sweep, spec in specs.items()
    }
    rows = []
    for case in dict.fromkeys(case for trials in found.values() for case in trials):
        for sweep, trial in ((sweep, trials[case]) for sweep, trials in found.items() if case in trials):
            first = counterpart(*case, specs[sweep], specs[sweeps[0]], found[sweeps[0]])
            speedup = first.time_us / trial.time_us if first and first.time_us and trial.time_us else None
            on_another = f" on {first.gpu}" if first and first.gpu != trial.gpu else ""
            rows.append(
                [
                    " ".join(case).strip(),
                    sweep,
                    _value(trial, "time_us"),
                    f"{_times(speedup)}{on_another}",
                    variant(specs[sweep].chosen_of(trial.parameters)),
                    limit_in_words(trial),
                ]
            )
    return rows


def _said_of(rows: list[list[str]], first: str) -> str:
    """What to know about compared rows, whose sweep is in the second column and whose ratio in the fourth."""
    if not rows:
        return "None of them has a complete trial yet."
    others = [row for row in rows if row[1] != first]
    if others and all(row[3] == "-" for row in others):
        return f"They have no GPU and workload in common with {first}, so their times cannot be compared."
    return (
        f"The ratios are to the times of {first} on the same GPU and workload; a GPU with overrides that {first} does "
        "not have is compared with the GPU that it is made from."
    )


def _example(service: LocalService, sweep: str, reason: str) -> str:
    """What a failed trial said, and which one it was."""
    page = service.trial_page(sweep, TrialQuery(f"reason = '{reason}'", limit=1))
    return "".join(
        f"{trial.gpu} {variant(trial.parameters)}: {(trial.message or '').strip()}" for trial in page.items
    )


def _times(speedup: float | None) -> str:
    return f"{speedup:.2f}x" if speedup else "-"


def _case(trial: TrialRecord, spec: SweepSpec) -> str:
    """A trial's GPU and workload."""
    return f"{trial.gpu} {variant(spec.workload_of(trial.parameters))}".strip()


def _value(trial: TrialRecord, metric: str) -> str:
    value = trial.metrics.get(metric)
    if value is None:
        return "-"
    return microseconds(value) if metric == "time_us" else number(value)
