"""The pages of a sweep in MLflow's web interface: its runs in a table, with columns and charts set up.

MLflow keeps saved views as tags of an experiment: JSON with a name and the state of its page, which holds columns,
order and charts. It lists them in the menu *Views*, and `viewStateShareKey` in an address opens one.
"""

import json
import re
from base64 import b64encode
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode
from zlib import compress

from dse.store import SweepRecord
from dse.tracking.children import metric_name, milliseconds
from search_spaces import Value

#: The versions of MLflow that read these views: from the first on, before the second.
VERSIONS = (3, 16), (4, 0)
TAG = "mlflow.sharedViewState."
#: What MLflow writes before a compressed state.
COMPRESSED = "deflate;"
#: Suffixes of the keys of the view that groups the runs by GPU, and of those of the first GPUs, each alone.
BY_GPU = "-gpus"
OF_ONE = tuple(f"-gpu{place}" for place in range(8))
SECTION = "sweep"
#: Runs in a bar chart, which shows one bar each, and in a scatter chart.
BARS, POINTS = 20, 500
CHARTS_IN_A_ROW = 2
CHART_HEIGHT = 400  # pixels
GPU = {"mode": "param", "groupByData": "gpu"}
#: Columns after the parameters and the objectives.
COLUMNS = ("speedup", "achieved_occupancy", "registers_per_thread", "ipc")
WORDS = ("dse.regime", "dse.bottleneck", "dse.label")


def are_known(version: str | None) -> bool:
    """Whether an MLflow of this version reads the views."""
    found = re.match(r"(\d+)\.(\d+)", version or "")
    return found is not None and VERSIONS[0] <= (int(found[1]), int(found[2])) < VERSIONS[1]


def page(sweep: SweepRecord, experiment_id: str, run_id: str, has_views: bool) -> str:
    """The path of the page with a sweep's runs; `run_id` is the sweep's own run.

    Without views, the runs are filtered and sorted, but the columns and the charts are MLflow's own choice.
    """
    if has_views:
        state: dict[str, Any] = {"viewStateShareKey": run_id}
    else:
        filtered = _filter(sweep, run_id, sweep.spec.gpus)
        state = {name: filtered[name] for name in ("searchFilter", "orderByKey")}
        state["orderByAsc"] = json.dumps(filtered["orderByAsc"])
    query = urlencode({"workflowType": "machine_learning", **state})
    return f"#/experiments/{experiment_id}/runs?{query}"


def saved_views(sweep: SweepRecord, run_id: str) -> dict[str, str]:
    """The tags of the experiment for a sweep's views, by key."""
    name = f"{sweep.name} sweep {sweep.key}"
    gpus, shown = sweep.spec.gpus, _table(sweep) | _charts(sweep)
    state = shown | _filter(sweep, run_id, gpus)
    by_gpu = state | {"groupBy": {"aggregateFunction": _best(sweep), "groupByKeys": [GPU]}}
    views = {"": (name, state), BY_GPU: (f"{name}, best of each GPU", by_gpu)}
    for suffix, gpu in zip(OF_ONE, gpus if len(gpus) > 1 else (), strict=False):
        views[suffix] = f"{name}, {gpu}", shown | _filter(sweep, run_id, [gpu])
    return {
        f"{TAG}{run_id}{suffix}": _envelope(title, milliseconds(sweep.created_at), content)
        for suffix, (title, content) in views.items()
    }


def tags_of(run_id: str) -> list[str]:
    """The keys of a sweep's views."""
    return [f"{TAG}{run_id}{suffix}" for suffix in ("", BY_GPU, *OF_ONE)]


def _envelope(name: str, created_ms: int, state: dict[str, Any]) -> str:
    packed = COMPRESSED + b64encode(compress(json.dumps(state).encode())).decode()
    return json.dumps({"name": name, "createdAt": created_ms, "updatedAt": created_ms, "state": packed})


def _filter(sweep: SweepRecord, run_id: str, gpus: Sequence[str]) -> dict[str, Any]:
    """The trials' runs on all GPUs of the sweep, or on one of them, best first.

    With several GPUs or workloads they are sorted by speedup, so that the first page is not of one.
    """
    direction, metric = sweep.spec.objectives[0]
    has_cases = len(gpus) > 1 or len(sweep.spec.workloads) > 1
    of_one = "" if len(gpus) == len(sweep.spec.gpus) else f" and params.`gpu` = '{gpus[0]}'"
    by_speedup = metric == "time_us" and sweep.spec.is_exhaustive and has_cases
    return {
        "searchFilter": f"tags.`mlflow.parentRunId` = '{run_id}'{of_one}",
        "orderByKey": f"metrics.`{'speedup' if by_speedup else metric_name(metric)}`",
        "orderByAsc": direction == "minimize" and not by_speedup,
    }


def _table(sweep: SweepRecord) -> dict[str, Any]:
    """The columns: what a narrow window shows first is how good a run is, and on which GPU."""
    metrics = dict.fromkeys([*(metric for _, metric in sweep.spec.objectives), *COLUMNS])
    columns = [
        *(f"metrics.`{metric_name(name)}`" for name in metrics),
        *(f"params.`{name}`" for name in ["gpu", *_varied(sweep)]),
        *(f"tags.`{name}`" for name in WORDS),
    ]
    return {"selectedColumns": columns, "columnOrder": columns}


def _charts(sweep: SweepRecord) -> dict[str, Any]:
    objective = metric_name(sweep.spec.objectives[0][1])
    occupancy = metric_name("achieved_occupancy")
    axes = [name for name in _varied(sweep) if _fits_an_axis(sweep.spec.parameters[name])]
    parallel = {
        "selectedParams": ["gpu", *axes],
        "selectedMetrics": [objective],
        "showAllRuns": True,
    }
    scatter = {"xaxis": _axis(occupancy), "yaxis": _axis(objective), "runsCountToCompare": POINTS}
    bars = {"metricKey": objective, "runsCountToCompare": BARS}
    charts = [
        _chart("PARALLEL", "parameters", parallel),
        _chart("SCATTER", f"{occupancy} against {objective}", scatter),
        _chart("BAR", objective, bars),
    ]
    section = {
        "uuid": SECTION,
        "name": SECTION,
        "display": True,
        "isReordered": True,
        "isGenerated": False,
        "columns": CHARTS_IN_A_ROW,
        "cardHeight": CHART_HEIGHT,
    }
    return {
        "compareRunCharts": charts,
        "compareRunSections": [section],
        "isAccordionReordered": True,
        "runsHiddenMode": "SHOW_ALL",
    }


def _chart(kind: str, title: str, settings: dict[str, Any]) -> dict[str, Any]:
    same = {"metricSectionId": SECTION, "deleted": False, "isGenerated": False, "runsCountToCompare": POINTS}
    return {"uuid": f"{SECTION}-{kind}", "type": kind, "displayName": title, **same, **settings}


def _axis(metric: str) -> dict[str, str]:
    return {"key": metric, "type": "METRIC"}


def _varied(sweep: SweepRecord) -> list[str]:
    """The parameters with more than one value."""
    return [name for name, values in sweep.spec.parameters.items() if len(values) > 1]


def _fits_an_axis(values: Sequence[Value]) -> bool:
    """Whether all are numbers, or none; MLflow leaves runs out of a chart whose parameter has both."""
    return len({isinstance(value, int | float) for value in values}) == 1


def _best(sweep: SweepRecord) -> str:
    """How the runs of a group become one number."""
    return "min" if sweep.spec.objectives[0][0] == "minimize" else "max"
