"""Points of which the compiler makes the same are simulated once, and nothing else changes."""

import dataclasses
import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import islice
from pathlib import Path

import pytest

from dse.client import Client
from dse.evaluation.evaluate import evaluate, prepare, profile_task
from dse.evaluation.points import task_for
from dse.evaluation.sharing import prune, simulated_once
from dse.runners.inline import InlineRunner
from search_spaces import Space, load_space

GPU = "h100-sxm"
CacheIn = Callable[[str], Path]


@pytest.fixture
def cache_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CacheIn:
    """Lets the simulator keep its files in an empty folder of this name; returns where simulations are kept."""
    prepare()

    def begin(name: str) -> Path:
        monkeypatch.setenv("SIMCORE_CACHE", str(tmp_path / name))
        return tmp_path / name / "simulations"

    return begin


def test_sharing_a_simulation_changes_no_bit_of_any_result(space: Space, cache_in: CacheIn) -> None:
    tasks = [task_for(space, point, GPU) for point in islice(space.points(), 8)]
    kept = cache_in("shared")
    shared = [evaluate(task) for task in tasks]
    digests = [outcome.simulation for outcome in shared]
    assert sorted(path.stem for path in kept.glob("*.json")) == sorted(set(map(str, digests)))
    assert len(set(digests)) < len(tasks)
    for place, task in enumerate(tasks):
        cache_in(f"alone {place}")
        alone = evaluate(task)
        assert (alone.metrics, alone.simulation) == (shared[place].metrics, digests[place])


def test_outputs_of_the_same_machine_code_are_compared_once(space_file: Path, cache_in: CacheIn) -> None:
    space_file.write_text(f"{space_file.read_text()}expect: {{data: first}}\n")
    space = load_space(space_file).override({"unroll": [1, 2], "width": [1], "block_size": [64]})
    compared = cache_in("compared").with_name("comparisons")
    first, same, *others = [evaluate(task_for(space, point, GPU)) for point in space.points()]
    assert [each.state for each in (first, same)] == ["complete"] * 2
    assert [each.reason for each in others] == ["WrongOutput"] * 2
    assert others[0].message == others[1].message
    assert "data[0] is" in str(others[0].message)
    assert (
        len(list(compared.glob("*.json"))) == 3
    )  # the first with none, the same as the first, and both others


@pytest.mark.parametrize(
    "change",
    [
        {"cold": True},
        {"bounds": "warn"},
        {"gpu": "h100-sxm,l2_bytes=25MB"},
        {"defines": {"UNROLL": 2, "WIDTH": 1, "BLOCK_SIZE": 64}},
    ],
    ids=lambda change: next(iter(change)),
)
def test_what_a_simulation_depends_on_sets_it_apart(space: Space, change: dict[str, object]) -> None:
    task = task_for(space, next(space.points()), GPU)
    assert evaluate(dataclasses.replace(task, **change)).simulation != evaluate(task).simulation  # type: ignore[arg-type]


def test_other_names_and_comments_are_the_same_machine_code(space: Space) -> None:
    task = task_for(space, next(space.points()), GPU)
    renamed = dataclasses.replace(
        task, kernel="other", source="// in short\n" + task.source.replace(" scale(", " other(")
    )
    assert evaluate(renamed).simulation == evaluate(task).simulation


def test_who_needs_the_same_at_once_waits_for_it(cache_in: CacheIn) -> None:
    cache_in("shared")
    others_came, runs = threading.Event(), []

    def simulate() -> dict[str, float]:
        runs.append(1)
        others_came.wait(0.2)
        return {"time_us": 1 / 3}

    with ThreadPoolExecutor(3) as pool:
        found = list(pool.map(partial(simulated_once, simulate=simulate), ["digest"] * 3))
    assert found == [{"time_us": 1 / 3}] * 3
    assert len(runs) == 1


def test_a_simulation_that_fails_is_not_kept(cache_in: CacheIn) -> None:
    kept = cache_in("shared")

    def fail() -> dict[str, float]:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        simulated_once("digest", fail)
    assert list(kept.iterdir()) == []
    assert simulated_once("digest", lambda: {"time_us": 1.0}) == {"time_us": 1.0}


def test_a_profile_is_known_from_the_simulation(
    space: Space, cache_in: CacheIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = task_for(space, next(space.points()), GPU)
    cache_in("shared")
    evaluate(task)
    cache_in("empty")
    simulated = profile_task(task)
    cache_in("shared")
    monkeypatch.setattr("simcore.profile", None, raising=False)
    renamed = dataclasses.replace(task, source=f"// one line down\n{task.source}")
    kept, moved = profile_task(task), profile_task(renamed)
    assert kept.instructions == simulated.instructions
    assert [each.issues for each in moved.instructions] == [each.issues for each in kept.instructions]
    assert [each.source.line - 1 for each in moved.lines if each.source] == [
        each.source.line for each in kept.lines if each.source
    ]


def test_every_trial_says_which_one_has_its_machine_code(space_file: Path, tmp_path: Path) -> None:
    client = Client(tmp_path / "home", InlineRunner, tracking=False)
    sweep = client.submit(
        space_file, GPU, parameters={"unroll": [1, 2], "width": [1], "block_size": [64]}
    ).wait()
    records = sorted(sweep.records(), key=lambda trial: trial.number)
    assert [trial.same_code_as for trial in records] == [None, 0, None, 2]
    assert [trial.time_us for trial in records][::2] == [trial.time_us for trial in records][1::2]
    assert [trial.parameters["register_cap"] for trial in records] == [None, 32, None, 32]
    assert list(sweep.to_dataframe()["same_code_as"].dropna()) == [0, 2]
    assert [trial.number for trial in sweep.trials("same_code_as = 2")] == [3]
    times = tmp_path / "times.csv"
    times.write_text("unroll,register_cap,time_us\n2,none,7.5\n")
    (found,) = sweep.calibrate(times, GPU)
    measured = {each.trial.number: each.measured_us for each in found.variants}
    assert measured == {0: None, 1: None, 2: 7.5, 3: 7.5}


def test_the_oldest_results_make_room(tmp_path: Path) -> None:
    for age in range(20):
        file = tmp_path / f"{age}.json"
        file.write_bytes(bytes(100))
        os.utime(file, (1000 - age, 1000 - age))
    (tmp_path / "19.lock").touch()
    prune(tmp_path, 2000)
    assert len(list(tmp_path.glob("*.json"))) == 20
    prune(tmp_path, 1000)
    assert {file.name for file in tmp_path.iterdir()} == {"19.lock", *(f"{age}.json" for age in range(9))}
