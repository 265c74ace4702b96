"""`simcore validate FILE...`: compare predictions with measurements, family by family."""

import os
import sys
from collections.abc import Sequence
from dataclasses import asdict
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from simcore.cli.output import Output, print_csv, print_json, print_page

if TYPE_CHECKING:
    from simcore.validation import MeasuredFile, Measurement, Prediction, Refusal, Score

#: Worst cases shown in a report by default.
WORST_IN_A_REPORT = 20


def validate(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...",
            help="Measured files: ours, Kernel Tuner's cache, T4 results, or `ncu --csv --page raw`.",
        ),
    ],
    gpu: Annotated[
        str | None, typer.Option("--gpu", help="The profile to predict with; default: the files' GPU.")
    ] = None,
    space: Annotated[
        Path | None,
        typer.Option("--space", help="A folder with the space.yaml of the variants, for files without code."),
    ] = None,
    split: Annotated[
        str | None, typer.Option("--split", help="Only this half of --split-file: calibration, validation.")
    ] = None,
    split_file: Annotated[
        Path | None, typer.Option("--split-file", help="YAML: the families of each half.")
    ] = None,
    spaces: Annotated[
        str | None, typer.Option("--spaces", help="Only these families, separated by commas.")
    ] = None,
    every: Annotated[int, typer.Option("--every", min=1, help="Only every N-th point.")] = 1,
    most_instructions: Annotated[
        float, typer.Option("--most-instructions", help="Skip points that execute more warp instructions.")
    ] = inf,
    worst: Annotated[
        int | None, typer.Option("--worst", min=0, help="Number of worst points to list.")
    ] = None,
    jobs: Annotated[
        int | None, typer.Option("--jobs", min=1, help="Number of processes; default: one per core.")
    ] = None,
    picture: Annotated[
        Path | None, typer.Option("--picture", help="Plot predicted against measured: .svg, .png or .pdf.")
    ] = None,
    report: Annotated[
        Path | None, typer.Option("--report", help="Update the tables between this document's markers.")
    ] = None,
    output: Annotated[Output, typer.Option("--output", "-o", help="How to print.")] = Output.TABLE,
) -> None:
    """Compare predictions with measurements: time, rank of variants, regret, counts, dominant stall."""
    from simcore.validation import check_picture, draw, report_name, score_families, summarise, update_report

    if picture:
        check_picture(picture)
    contents = _read(files)
    profile = gpu or _profile(files, contents)
    chosen = _choose(contents, space, _families(split, split_file, spaces), every, most_instructions)
    predictions = _predict(chosen, profile, jobs or os.cpu_count() or 1)
    scores = score_families(predictions)
    summary = summarise(scores)
    ranked = sorted(predictions, key=lambda p: -abs(p.error))
    _print(scores, summary, ranked[: worst or 0], output)
    if picture:
        draw(predictions, picture, f"{profile}: {len(predictions)} launches of {len(scores)} families")
    if report:
        listed = ranked[: WORST_IN_A_REPORT if worst is None else worst]
        update_report(report, report_name(files, split), scores, summary, listed)


def _read(files: Sequence[Path]) -> list["MeasuredFile"]:
    """Read the files; variants without a time are reported on standard error."""
    from simcore.validation import read_measurements

    contents = [read_measurements(file) for file in files]
    for file, content in zip(files, contents, strict=True):
        if content.failed:
            print(f"{file}: {content.failed} variants failed on the GPU and are skipped", file=sys.stderr)
    return contents


def _profile(files: Sequence[Path], contents: Sequence["MeasuredFile"]) -> str:
    """The one profile of the GPU that the files name."""
    from simcore.gpu_profiles import gpu_names
    from simcore.validation import MeasurementError, profile_of

    profiles = {profile_of(content.device) for content in contents}
    profile = profiles.pop()
    if profiles or profile is None:
        devices = ", ".join(
            f"{f}: {c.device or 'no GPU named'}" for f, c in zip(files, contents, strict=True)
        )
        raise MeasurementError(
            f"which GPU to predict ({devices})? Say --gpu, one of {', '.join(gpu_names())}"
        )
    return profile


def _families(split: str | None, split_file: Path | None, spaces: str | None) -> frozenset[str] | None:
    """The requested families; None for all."""
    from simcore.validation import MeasurementError, read_split

    named = frozenset(spaces.split(",")) if spaces else None
    if not split:
        return named
    if not split_file:
        raise MeasurementError(f"--split {split}: name the file with its families with --split-file")
    half = read_split(split_file, split)
    return half & named if named else half


def _choose(
    contents: Sequence["MeasuredFile"],
    space: Path | None,
    families: frozenset[str] | None,
    every: int,
    most_instructions: float,
) -> list["Measurement"]:
    """The measurements to predict, each with its recipe."""
    from simcore.validation import Selection, load_variants, pair

    variants = load_variants(space) if space else None
    paired = [m for content in contents for m in pair(content.measurements, variants)]
    return Selection(families, every, most_instructions).choose(paired)


def _predict(measurements: Sequence["Measurement"], gpu: str, jobs: int) -> list["Prediction"]:
    """Predict with a progress bar; refusals are reported, and raise an error if nothing could be predicted."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from simcore.compilation import told
    from simcore.gpu_profiles import load_gpu
    from simcore.validation import MeasurementError, Refusal, predict_all

    load_gpu(gpu)
    outcomes: list[Prediction | Refusal] = []
    columns = (TextColumn("predicting"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress, told(progress.print):
        task = progress.add_task("predicting", total=len(measurements))
        for outcome in predict_all(measurements, gpu, jobs):
            outcomes.append(outcome)
            progress.advance(task)
    order = {m.place: position for position, m in enumerate(measurements)}
    outcomes.sort(key=lambda outcome: order[outcome.measurement.place])
    refusals = [outcome for outcome in outcomes if isinstance(outcome, Refusal)]
    if len(refusals) == len(outcomes):
        raise MeasurementError(f"no point could be predicted; the first: {_refused(refusals[0])}")
    for refusal in refusals:
        print(_refused(refusal), file=sys.stderr)
    return [outcome for outcome in outcomes if not isinstance(outcome, Refusal)]


def _refused(refusal: "Refusal") -> str:
    return f"{refusal.measurement.place} ({refusal.measurement.name}): {refusal.reason}"


def _print(
    scores: Sequence["Score"], summary: Sequence["Score"], worst: Sequence["Prediction"], output: Output
) -> None:
    from simcore.validation.report import COLUMNS, cells
    from simcore.views.text.tables import table

    if output is Output.JSON:
        rows = [{**asdict(score)} for score in (*scores, *summary)]
        print_json({"families": rows, "worst": [_case(prediction) for prediction in worst]})
    elif output is Output.CSV:
        print_csv([asdict(score) for score in (*scores, *summary)])
    else:
        print_page(table(COLUMNS, [cells(score) for score in (*scores, *summary)], ["family"]))
        for prediction in worst:
            measurement = prediction.measurement
            print(f"{prediction.error:+8.1%}  {measurement.time_us:10.2f} µs measured  {measurement.name}")


def _case(prediction: "Prediction") -> dict[str, object]:
    measurement = prediction.measurement
    return {
        "family": measurement.family,
        "place": measurement.place,
        "parameters": measurement.parameters,
        "measured_us": measurement.time_us,
        "predicted_us": prediction.time_us,
        "error": prediction.error,
    }
