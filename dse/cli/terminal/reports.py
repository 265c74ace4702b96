"""Reports on a sweep as tables and text: the summary, the best variants and their bottlenecks.

Everything is read from a `Sweep` handle and printed.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product, zip_longest
from operator import itemgetter
from typing import Any

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from dse.answers.best import Best
from dse.answers.between_gpus import between_gpus, in_a_line, worth
from dse.answers.counterpart import counterpart
from dse.answers.once import once
from dse.answers.summary import other_objectives
from dse.answers.traffic import limit_in_words
from dse.cli.terminal.hot_spots import line_table
from dse.cli.terminal.output import Output, binary_stdout, command, print_rows, stdout, stream_rows
from dse.cli.terminal.winners import (
    ADVICE_IN_A_SUMMARY,
    ONLY,
    PIECES_IN_A_SUMMARY,
    best_rows,
    best_table,
    print_advice,
    print_failed_values,
    print_ties,
    ratio_table,
    rows_of,
    speedup_note,
)
from dse.errors import InputError
from dse.evaluation.notes import NOT_COMPARED
from dse.explaining.explanation import Explanation, occupancy_lines
from dse.handles import Sweep
from dse.requests.gpus import check_gpu_of
from dse.requests.specs import restore_space
from dse.search.settings import SearchSettings
from dse.service import SweepStatus
from dse.store import SweepSpec, Trial, TrialQuery
from dse.store.filters import equalities
from dse.tables.columns import TIME_COLUMNS, TrialTable
from dse.tables.text import against_first, interval, microseconds, variant, worded
from search_spaces.fields import REGISTER_CAP
from simcore.views.bars import bar

#: Messages of failed trials below a table, and trials that each names.
MESSAGES_IN_A_TABLE, NUMBERS_IN_A_LINE = 5, 5
#: The label of a GPU that does not exist.
WHAT_IF = "what if"
RESULTS_IN_A_TABLE = 20
#: Runs that MLflow's table and charts have at first.
MLFLOW_PAGE = 100
NO_LINK = (
    "  no link: the runs are not exported yet, or in a file that only the server's machine can open; "
    "`DSE_MLFLOW=URL dse serve` exports them to an MLflow server"
)
#: Columns of a table of results, after the parameters and the objectives.
RESULT_COLUMNS = ("ipc", "achieved_occupancy", "registers_per_thread", "regime", "bottleneck")


def print_summary(sweep: Sweep) -> None:
    """Print the result of a run: the best variant for each GPU, advice and failures."""
    console, winners, status = stdout(), sweep.winners(), sweep.status()
    rows, counts = rows_of(sweep, winners), status.counts
    console.print(
        f"\nsweep {sweep.id} ({status.name}) {status.state}: {counts.complete} complete, "
        f"{counts.failed} failed, {counts.known} known before, of {status.total}",
        markup=False,
    )
    if rows:
        console.print()
        console.print(best_table(rows, other_objectives(sweep.spec)))
        console.print()
        print_failed_values(console, sweep)
        print_ties(console, sweep.spec, winners)
        if ratios := in_a_line(between_gpus(sweep.spec, winners)):
            console.print(Text(f"{ratios}\n"))
        if left := print_advice(console, rows, ADVICE_IN_A_SUMMARY, PIECES_IN_A_SUMMARY):
            console.print(Text(f"`{command(f'dse best {sweep.id}')}` says what limits the other {left}, too"))
    for line in (
        *_time_is_up(status, sweep.spec),
        *_patience_is_over(status, sweep.spec),
        *speedup_note(rows),
        *_without_value(sweep),
        *_without_what_it_is_made_from(sweep.spec),
        *_notes(sweep),
    ):
        console.print(Text(line))
    if counts.failed:
        console.print(Text(failure_line(sweep)))


def _time_is_up(status: SweepStatus, spec: SweepSpec) -> Iterator[str]:
    """Whether the time limit ended the sweep, and how it goes on."""
    if status.state != "stopped" or spec.timeout_s is None or status.finished_at is None:
        return
    if (status.finished_at - status.created_at).total_seconds() >= spec.timeout_s:
        more = command(f"dse resume {status.id} --timeout {max(round(spec.timeout_s), 1)}")
        yield (
            f"note: the time limit of {spec.timeout_s:g} s ended the sweep after {status.counts.done:,} of "
            f"{status.total:,} points, which {spec.sampler} chose; `{more}` goes on"
        )


def _patience_is_over(status: SweepStatus, spec: SweepSpec) -> Iterator[str]:
    """Whether the search of a GPU and workload ended for want of something better."""
    patience = SearchSettings.of(spec.search).patience
    if patience is not None and status.state == "finished" and status.counts.done < status.total:
        yield (
            f"note: patience ended the search after {status.counts.done:,} of {status.total:,} trials: {patience} in "
            "a row brought nothing better"
        )


def _without_value(sweep: Sweep) -> Iterator[str]:
    """Which of the sweep's own metrics have no value somewhere, and why."""
    own = sweep.spec.user_metrics
    for name in own.metrics:
        for trial in sweep.trials(f"state = 'complete' and metrics.{name} is null", limit=1):
            why = own.refusals(trial.parameters, trial.result.metrics)[name]
            some = sweep.trials(f"state = 'complete' and metrics.{name} is not null", limit=1)
            where = "some trials, such as" if some else "any trial, for example"
            yield f"{name} has no value in {where} trial {trial.number}: {why}"


def _without_what_it_is_made_from(spec: SweepSpec) -> Iterator[str]:
    """How to compare a GPU that does not exist with the one that it is made from, if that is not in the sweep."""
    alone = {spec.made_from(gpu): gpu for gpu in spec.gpus if spec.made_from(gpu) not in spec.gpus}
    for base, gpu in alone.items():
        yield f"note: `--gpu {base},{gpu}` shows how many times as fast as {base} it is"


def _notes(sweep: Sweep) -> Iterator[str]:
    """What the space leaves unchecked or asks in vain, as its trials say."""
    if not sweep.status().counts.complete:
        return
    if restore_space(sweep.spec).expectation is None:
        yield f"note: {NOT_COMPARED}"
    caps = [cap for cap in sweep.spec.parameters.get(REGISTER_CAP, ()) if isinstance(cap, int)]
    if caps:
        capped = sweep.trials(f"state = 'complete' and params.{REGISTER_CAP} = {min(caps)}", limit=1)
        of_caps = (line for trial in capped for line in trial.advice if line.startswith(f"{REGISTER_CAP}="))
        yield from (f"note: {line}" for line in of_caps)


def print_statuses(statuses: Sequence[SweepStatus]) -> None:
    """Print sweeps as a table, where the state tells whether all failed, and below it the errors, which are long."""
    rows = [status_row(status) | {"state": status.outcome, "error": None} for status in statuses]
    print_rows(rows, Output.TABLE)
    errors = [f"{status.id}: {status.error}" for status in statuses if status.error]
    if errors:
        print("", *errors, sep="\n")


def status_row(status: SweepStatus) -> dict[str, Any]:
    """The status of a sweep as one row."""
    counts = status.counts
    return {
        "id": status.id,
        "name": status.name,
        "parameters": ", ".join(status.parameters),
        "state": status.state,
        "done": counts.done,
        "total": status.total,
        "failed": counts.failed,
        "known": counts.known,
        "search": status.search,
        "gpus": ", ".join(status.gpus),
        "priority": status.priority,
        "owner": status.owner,
        "created": f"{status.created_at.astimezone():%Y-%m-%d %H:%M}",
        "error": status.error,
    }


def print_results(sweep: Sweep, query: TrialQuery, times: bool, output: Output) -> None:
    """Print trials: a table with the best trials and the main columns, or everything in other formats.

    Other formats are ordered by point, one row per trial, with the same columns for every run of the sweep.
    """
    if output is Output.TABLE:
        _print_results_table(sweep, query, times)
    elif output is Output.PARQUET:
        from dse.tables.parquet import write_parquet

        write_parquet(sweep.records(query), binary_stdout(), sweep.spec, times)
    else:
        table = TrialTable(sweep.spec, times)
        stream_rows(map(table.row, sweep.records(query)), output, list(table.columns))


def _print_results_table(sweep: Sweep, query: TrialQuery, times: bool) -> None:
    spec, limit = sweep.spec, query.limit or RESULTS_IN_A_TABLE
    table = TrialTable(spec, times)
    found, is_part = _best_first(sweep, query, limit)
    rows = [
        table.row(trial) | {name: worded(value) for name, value in trial.parameters.items()}
        for trial in found
    ]
    if not rows:
        print("no trial matches the filter" if query.filter else "no trial is recorded yet")
        return
    has_failures = any(row["state"] == "failed" for row in rows)
    columns = ["number", "gpu", *spec.parameters, *(name for _, name in spec.objectives), *spec.metrics]
    columns += RESULT_COLUMNS
    columns += (
        ["local_bytes_per_thread"] if any(row.get("local_bytes_per_thread") for row in rows[:limit]) else []
    )
    columns += ["state", "reason"] if has_failures else []
    columns += ["label"] if any(row.get("label") == WHAT_IF for row in rows) else []
    columns += TIME_COLUMNS if times else []
    print_rows(rows, Output.TABLE, list(dict.fromkeys(columns)))
    for line in _why_they_failed(found):
        print(line)
    if is_part:
        print(f"the first {limit}; --limit N prints more, -o csv or -o json all of them with every column")


def _why_they_failed(trials: Sequence[Trial]) -> Iterator[str]:
    """The messages of failed trials, each once with the numbers of its trials."""
    told = [
        (str(trial.number), " ".join((trial.message or "").split()))
        for trial in trials
        if trial.state == "failed"
    ]
    for numbers, why in once(told)[:MESSAGES_IN_A_TABLE]:
        more = f" and {len(numbers) - NUMBERS_IN_A_LINE} more" if len(numbers) > NUMBERS_IN_A_LINE else ""
        yield f"trial {', '.join(numbers[:NUMBERS_IN_A_LINE])}{more}: {why}"


def _best_first(sweep: Sweep, query: TrialQuery, limit: int) -> tuple[list[Trial], bool]:
    """The trials to show, and whether there are more; without an order of their own as many of each GPU and workload.

    Where there are more of these than trials to show, workloads are not told apart.
    """
    if query.order_by:
        found = [*sweep.records(replace(query, limit=limit + 1))]
        return [*found[:limit]], len(found) > limit
    direction, metric = sweep.spec.objectives[0]
    order = f"metrics.{metric} {'asc' if direction == 'minimize' else 'desc'}"
    gpus, workloads = sweep.spec.gpus, sweep.spec.workloads
    cases = product(gpus, workloads if len(gpus) * len(workloads) <= limit else [{}])
    by_case = []
    for gpu, workload in cases:
        own = (f"gpu = '{gpu}'", equalities(workload), f"({query.filter})" if query.filter else "")
        of_case = replace(query, filter=" and ".join(filter(None, own)), order_by=order, limit=limit + 1)
        by_case.append([*sweep.records(of_case)])
    in_turn = [(case, trial) for rank in zip_longest(*by_case) for case, trial in enumerate(rank) if trial]
    return [trial for _, trial in sorted(in_turn[:limit], key=itemgetter(0))], len(in_turn) > limit


def print_best(sweep: Sweep, winners: Sequence[Best]) -> None:
    """Print the best variants with their occupancy arithmetic and advice."""
    console, rows = stdout(), rows_of(sweep, winners)
    console.print(best_table(rows, other_objectives(sweep.spec)))
    console.print()
    print_failed_values(console, sweep)
    print_ties(console, sweep.spec, winners)
    for line in speedup_note(rows):
        console.print(Text(f"{line}\n"))
    if len(rows) > 1:
        by_time = command(f"dse best {sweep.id} --portable")
        console.print(Text(f"`{by_time}` shows the portable variant\n"))
    if found := between_gpus(sweep.spec, winners):
        console.print(Text("one GPU against another, each with its best variant", style="bold"))
        console.print(ratio_table(found))
        for line in worth(sweep.spec, found):
            console.print(Text(line))
        console.print()
    print_advice(console, rows)
    console.print()
    _print_occupancy(sweep, winners)


def _print_occupancy(sweep: Sweep, winners: Sequence[Best]) -> None:
    """Print the occupancy of each GPU's best variants with its arithmetic, once where several have the same."""
    for gpu in dict.fromkeys(best.gpu for best in winners):
        mine = [best for best in winners if best.gpu == gpu]
        for cases, text in once(
            (best.case, "\n".join(occupancy_lines(sweep.spec, best.trial))) for best in mine
        ):
            head = Text(", ".join(cases), style="bold")
            stdout().print(Group(head, Padding(Text(text), (0, 0, 0, 2), expand=False)))


def trials_to_explain(sweep: Sweep, number: int | None, gpu: str | None = None) -> list[Trial]:
    """One trial, or the best for each GPU, or for one.

    Raises:
        InputError: the sweep has no such trial, or not that GPU.
    """
    if gpu is not None:
        check_gpu_of(sweep.id, sweep.spec.gpus, gpu)
    numbered = f"number = {number}"
    trials = [best.trial for best in sweep.winners()] if number is None else sweep.trials(numbered)
    trials = [trial for trial in trials if gpu in (None, trial.gpu)]
    if not trials and number is None and (reason := why_nothing_completed(sweep)):
        raise InputError(f"sweep {sweep.id} has no complete trial: {reason}")
    if not trials:
        what = ("complete trial" if number is None else f"trial {number}") + (f" on {gpu}" if gpu else "")
        raise InputError(f"sweep {sweep.id} has no {what}; `dse results {sweep.id}` lists its trials")
    return trials


def front_rows(sweep: Sweep) -> list[dict[str, Any]]:
    """The Pareto front of each GPU and workload, one row a variant."""
    spec = sweep.spec
    rows = []
    for trial in sweep.front():
        workload, chosen = spec.workload_of(trial.parameters), spec.chosen_of(trial.parameters)
        objectives = {metric: trial.metrics[metric] for _, metric in spec.objectives}
        place = {"gpu": trial.gpu, **({"workload": variant(workload)} if workload else {})}
        rows.append(
            {**place, **objectives, "variant": variant(chosen, spec.parameters), "trial": trial.number}
        )
    return rows


def why_nothing_completed(sweep: Sweep) -> str | None:
    """Why a sweep that has ended has no complete trial; None if it has one, or may still get one."""
    status = sweep.status()
    if status.counts.complete or status.is_active:
        return None
    if status.error:
        return status.error
    return (
        failure_line(sweep) if status.counts.failed else f"it was {status.state} before a trial was evaluated"
    )


def failure_line(sweep: Sweep) -> str:
    """The number of failed trials, with the most common reason and an example."""
    counts = sweep.status().counts
    reason, count = next(iter(counts.failures.items()))
    example = sweep.trials(filter=f"reason = '{reason}'", limit=1)[0]
    message = (example.message or "").strip()
    where = f"{example.gpu}, {variant(example.parameters)}"
    return (
        f"{counts.failed} of {counts.done} trials failed, {count} of them with {reason}, "
        f"for example on {where}:\n  {message}"
    )


def next_commands(sweep: Sweep) -> str:
    """Suggested next commands, of those that have something to show."""
    status = sweep.status()
    lines = [] if status.state == "finished" else [f"dse resume {sweep.id}"]
    lines += [f"dse results {sweep.id}"] if status.counts.done else []
    lines += [f"dse {verb} {sweep.id}" for verb in ("best", "explain", "report") if status.counts.complete]
    if status.counts.failed:
        (failed,) = sweep.trials("state = 'failed'", limit=1)
        lines.append(f"dse explain {sweep.id} {failed.number}  # why it failed")
    return "\nnext:\n" + "\n".join(f"  {command(line)}" for line in lines)


def mlflow_lines(url: str, ui_command: str | None, trials: int) -> str:
    """How to open the runs of a sweep with that many trials in MLflow."""
    lines = [f"open {url}"]
    if ui_command:
        lines = [f"{command(ui_command)}  # then {lines[0]}"]
    return "\n".join(f"  {line}" for line in [*lines, *view_notes([url], trials)])


def print_mlflow(sweep: Sweep) -> None:
    """Print how to open the runs of a sweep in MLflow, or why there is no link; nothing without a trial."""
    status = sweep.status()
    if status.counts.done:
        url = status.mlflow_url
        print(f"MLflow:\n{mlflow_lines(url, sweep.ui_command, status.counts.done) if url else NO_LINK}")


def view_notes(urls: Sequence[str], trials: int) -> list[str]:
    """What to know about runs that open without a view, or of which MLflow shows only some at first."""
    notes = []
    if any("searchFilter=" in url for url in urls):
        notes.append("(without columns and charts: views are for MLflow 3.16 and later versions of 3)")
    if trials > MLFLOW_PAGE:
        notes.append(
            f"(MLflow shows the {MLFLOW_PAGE} best runs at first; Load more below its table shows the others)"
        )
    return notes


def explained(found: Explanation) -> RenderableType:
    """One trial in full: time, regime, stalls with bars, hot spots, occupancy with its arithmetic, and advice."""
    trial = found.trial
    head = f"trial {trial.number} on {trial.gpu}: {variant(trial.parameters)}"
    if trial.state == "failed":
        return Group(Text(head, style="bold"), Text(f"  failed: {trial.reason}: {trial.message}"))
    against = f", {against_first(found.speedup)}" if found.speedup else ""
    metrics = trial.metrics
    between = f" ({times})" if (times := interval(metrics)) else ""
    same = [] if trial.same_code_as is None else [f"the same machine code as trial {trial.same_code_as}"]
    lines = [
        f"{microseconds(metrics['time_us'])}{between}{against}; {metrics['cycles']:,.0f} cycles, "
        f"{metrics['warp_instructions']:,} warp instructions, {metrics['ipc']:.2f} IPC per SM",
        f"regime: {limit_in_words(trial)}; GPU profile: {metrics.get('label', 'unknown')}",
        *same,
        *(f"{name}: {value:.4g}" for name, value in trial.user_metrics.items()),
    ]
    texts = ["\n".join(each) for each in (lines, found.occupancy, found.traffic, trial.advice)]
    facts, occupancy, moved, advice = map(Text, texts)
    parts = facts, _stall_table(trial), line_table(found.hot_spots), occupancy, moved, advice
    shown = (part for part in parts if part is not moved or found.traffic)
    return Group(Text(head, style="bold"), *(Padding(part, (0, 0, 1, 2), expand=False) for part in shown))


def _stall_table(trial: Trial) -> Table:
    total = sum(trial.stalls.values()) or 1.0
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("warp state")
    table.add_column("warps", justify="right")
    table.add_column("share", justify="right")
    table.add_column("")
    for reason, warps in trial.stalls.items():
        if warps > 0:
            share = warps / total
            table.add_row(reason, f"{warps:.2f}", f"{share:.0%}", Text(bar(share), style="cyan"))
    return table


def comparison_rows(sweeps: Sequence[Sweep]) -> list[dict[str, Any]]:
    """The best of each sweep for each GPU and workload, with its speedup over the first sweep.

    What the first sweep does not have is compared with the GPU that it is made from, as `h100-sxm,sms=144` from
    `h100-sxm`; `against` names that.
    """
    bests = [{(row["gpu"], row["workload"]): row for row in best_rows(sweep)} for sweep in sweeps]
    rows = []
    for case in dict.fromkeys(case for best in bests for case in best):
        for sweep, best in zip(sweeps, bests, strict=True):
            if found := best.get(case):
                facts = {
                    name: found[name] for name in ("variant", "time_us", "regime", "limit", "parameters")
                }
                first = counterpart(*case, sweep.spec, sweeps[0].spec, bests[0])
                speedup = first["time_us"] / found["time_us"] if first else None
                against = first["gpu"] if first and first["gpu"] != case[0] else None
                place = {"gpu": case[0], "workload": case[1] or None}
                rows.append({**place, "id": sweep.id, "speedup": speedup, "against": against, **facts})
    return rows


def print_comparison(sweeps: Sequence[Sweep], rows: Sequence[dict[str, Any]]) -> None:
    """Print the best of several sweeps, `comparison_rows`, and name those that cannot be compared."""
    columns = ["gpu", *(["workload"] if any(row["workload"] for row in rows) else [])]
    over = f"times as fast as {sweeps[0].id}"
    told = [
        row | {over: f"{row['speedup']:.2f}x" if row["speedup"] else None, "variant": row["variant"] or ONLY}
        for row in rows
    ]
    against = ["against"] if any(row["against"] for row in rows) else []
    print_rows(told, Output.TABLE, [*columns, "id", "time_us", over, *against, "variant", "limit"])
    without = [sweep.id for sweep in sweeps if all(row["id"] != sweep.id for row in rows)]
    has_others = any(sweep.id != sweeps[0].id for sweep in sweeps)
    if without:
        print(f"without a complete trial: {', '.join(dict.fromkeys(without))}")
    elif all(row["speedup"] is None for row in rows if row["id"] != sweeps[0].id) and has_others:
        print(
            f"no other sweep shares a workload and a GPU, or what it is made from, with {sweeps[0].id}, so there are "
            "no speedups"
        )
