"""Whether a change of the simulator changed a prediction: all figures of fixed launches, and their digest.

    python -m benchmarks.simulator.digest --output before.json     # at one commit
    python -m benchmarks.simulator.digest --compare before.json    # at another: names what differs

The launches are points of the catalog's and the silicon families' spaces, each on every GPU profile.
`--per-gpu 3` predicts a cross-section of them in seconds. With `--golden FILE` the digests are written as
`tests/simcore/test_predictions.py` keeps them.
"""

import argparse
import hashlib
import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from dse.evaluation.variants import SpaceVariants, space_variants
from simcore import SIMULATOR_VERSION, SimcoreError, compiler_version, gpu_names, simulate, warm_up

ROOT = Path(__file__).parents[2]
CATALOG = ROOT / "search_spaces" / "catalog"
FAMILIES = ROOT / "benchmarks" / "silicon" / "families"
POINTS_OF_A_CATALOG_SPACE = 4

Predictions = dict[str, Any]
"""By the launch's name: the fields of `SimulationResult`, or the message of the error that refused it."""


@dataclass(frozen=True)
class Case:
    """One point of a space on one GPU."""

    folder: Path
    point: int
    gpu: str


def main() -> None:
    """Predict, write, compare."""
    options = _options()
    predictions = predict_all(sample(cases(), options.per_gpu), options.jobs)
    print(f"{len(predictions)} predictions, digest {digest(predictions)}")
    if options.output:
        options.output.write_text(json.dumps(predictions, sort_keys=True))
    if options.golden:
        options.golden.write_text(json.dumps(golden(predictions), indent=1, sort_keys=True) + "\n")
    if options.compare:
        known: Predictions = {}
        for file in options.compare:
            known |= json.loads(file.read_text())
        changes = list(differences(known, predictions, complete=options.per_gpu is None))
        print("\n".join(changes) or "nothing differs")
        sys.exit(bool(changes))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--output", type=Path, help="write the predictions as JSON")
    parser.add_argument("--golden", type=Path, help="write version, times and digests as JSON")
    parser.add_argument("--compare", type=Path, nargs="+", help="predictions of another commit, as JSON")
    parser.add_argument("--per-gpu", type=int, help="predict only so many launches on each GPU")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes")
    return parser.parse_args()


def cases() -> list[Case]:
    """What is predicted: four points of each space of the catalog and one of each family, on every GPU."""
    return [
        Case(folder, point, gpu)
        for root, count in ((CATALOG, POINTS_OF_A_CATALOG_SPACE), (FAMILIES, 1))
        for folder in sorted(file.parent for file in root.glob("*/space.yaml"))
        for point in _spread(len(_points(folder)), count)
        for gpu in gpu_names()
    ]


def sample(everything: Sequence[Case], per_gpu: int | None) -> list[Case]:
    """Some cases of each GPU, drawn by a hash, so that a new GPU or kernel leaves the others' as they are."""
    if per_gpu is None:
        return list(everything)
    drawn = sorted(
        everything,
        key=lambda case: hashlib.sha256(f"{case.folder.name} {case.point} {case.gpu}".encode()).digest(),
    )
    return [case for gpu in gpu_names() for case in [c for c in drawn if c.gpu == gpu][:per_gpu]]


def _spread(points: int, count: int) -> list[int]:
    """The positions of `count` points at equal distances, from the first to the last; of one, the first."""
    return sorted({round(i * (points - 1) / max(count - 1, 1)) for i in range(count)})


@cache
def _space(folder: Path) -> SpaceVariants:
    return space_variants(folder)


@cache
def _points(folder: Path) -> list[dict[str, Any]]:
    return list(_space(folder).points())


def predict_all(chosen: Sequence[Case], jobs: int) -> Predictions:
    """Predict each case, in several processes."""
    warm_up()
    with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
        return dict(pool.map(predict, chosen, chunksize=5))


def predict(case: Case) -> tuple[str, Any]:
    """The case's name and its prediction."""
    variants = _space(case.folder)
    name = f"{variants.kernel} {case.point} {case.gpu}"
    try:
        recipe = variants.recipe(_points(case.folder)[case.point])
        return name, asdict(simulate(**recipe.launch(case.gpu)))
    except SimcoreError as error:
        return name, f"{type(error).__name__}: {error}"


def digest(predictions: Predictions) -> str:
    """A hash; equal only if every figure is, to the last bit. The wording of advice is no figure."""
    figures = {name: _figures(prediction) for name, prediction in predictions.items()}
    return hashlib.sha256(json.dumps(figures, sort_keys=True).encode()).hexdigest()[:16]


def _figures(prediction: Any) -> Any:
    if isinstance(prediction, str):
        return prediction
    room = {name: value for name, value in prediction["occupancy"].items() if name != "arithmetic"}
    return {name: value for name, value in prediction.items() if name != "advice"} | {"occupancy": room}


def golden(predictions: Predictions) -> dict[str, Any]:
    """What the golden test keeps: a time and a digest of each prediction, and whose they are."""
    return {
        "version": SIMULATOR_VERSION,
        "compiler": compiler_version(),
        "digest": digest(predictions),
        "predictions": {
            name: {"time_us": time_us(prediction), "digest": digest({name: prediction})}
            for name, prediction in predictions.items()
        },
    }


def time_us(prediction: Any) -> float | None:
    """A prediction's time; None where the launch was refused."""
    return prediction["time_us"] if isinstance(prediction, Mapping) else None


def differences(before: Predictions, after: Predictions, complete: bool) -> Iterator[str]:
    """A line for each launch whose predictions differ, or, of complete ones, that only one side has."""
    after = json.loads(json.dumps(after))
    for name in sorted(before.keys() | after.keys() if complete else after.keys()):
        if name not in before or name not in after:
            yield f"{name}: only {'before' if name in before else 'after'}"
        elif before[name] != after[name]:
            yield f"{name}: {_difference(before[name], after[name])}"


def _difference(before: Any, after: Any) -> str:
    if not (isinstance(before, Mapping) and isinstance(after, Mapping)):
        return f"{before} -> {after}"
    changed = [
        field for field in sorted(before.keys() | after.keys()) if before.get(field) != after.get(field)
    ]
    return ", ".join(f"{field} {before.get(field)} -> {after.get(field)}" for field in changed)


if __name__ == "__main__":
    main()
