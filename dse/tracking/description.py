"""What a person reads first about a run: the description that MLflow shows above its parameters, in Markdown."""

from collections.abc import Sequence

from dse.answers.best import Best
from dse.answers.summary import taken_rows
from dse.answers.tolerance import in_words, tolerance_of
from dse.store import SweepRecord, SweepSpec, TrialRecord
from dse.tables.text import against_first, microseconds, variant

#: Maximum length of a description; MLflow's limit is 8,000.
LIMIT = 5000
STALLS = 3


def describe_trial(sweep: SweepRecord, trial: TrialRecord, speedup: float | None) -> str:
    """Time, bottleneck and advice of a trial, or why it failed; and the command that explains it."""
    head = f"trial {trial.number} on {trial.gpu}: **{variant(trial.parameters)}**"
    if trial.state == "failed":
        return f"{head} failed: {trial.reason}\n\n```\n{trial.message}\n```"[:LIMIT]
    lines = [f"{head}: {_result(sweep.spec, trial, speedup)}", *(f"- {advice}" for advice in trial.advice)]
    command = f"`dse explain {sweep.key} {trial.number}`"
    return "\n\n".join([*lines[:1], command, "\n".join(lines[1:]), *_table(trial)]).strip()[:LIMIT]


def describe_sweep(spec: SweepSpec, answers: Sequence[Best]) -> str:
    """The best variant of each GPU and workload, what the model cannot tell from it, and which of these to take."""
    _, metric = spec.objectives[0]
    best = [
        (each.gpu, variant(each.parameters), f"{each.trial.metrics[metric]:.4g}", each.tied, each.label)
        for each in answers
    ]
    parts = [_markdown(("GPU", "best variant", metric, "ties", "profile"), best)]
    if answers:
        tolerances = {each.label: each.tolerance for each in answers}
        parts.append(f"ties: {in_words(tolerances)}")
        parts.append(
            _markdown(("GPU and workload", "the ties share", "take", "because"), taken_rows(spec, answers))
        )
    return "\n\n".join(parts)[:LIMIT]


def _result(spec: SweepSpec, trial: TrialRecord, speedup: float | None) -> str:
    metrics = trial.metrics
    if trial.time_us is None:
        return f"{spec.objectives[0][1]} {metrics[spec.objectives[0][1]]}"
    words = [microseconds(trial.time_us)]
    if speedup:
        words.append(against_first(speedup))
    if label := metrics.get("label"):
        words.append(f"GPU profile {label} (ties within {tolerance_of('time_us', str(label)):.0%})")
    if limit := trial.limit:
        words.append(f"regime {limit}")
    return ", ".join(words)


def _table(trial: TrialRecord) -> list[str]:
    """The most frequent warp states."""
    total = sum(trial.stalls.values())
    top = sorted(trial.stalls.items(), key=lambda item: -item[1])[:STALLS]
    rows = [(reason, f"{warps / total:.0%}") for reason, warps in top if warps > 0]
    return [_markdown(("warp state", "share"), rows)] if rows else []


def _markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table."""
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (head, ["---"] * len(head), *rows))
