"""A sampler of one's own: an object of Optuna's, for sweeps of this process."""

from functools import partial
from pathlib import Path

import pytest
from optuna.samplers import BaseSampler, TPESampler

from dse.client import Client
from dse.errors import InputError
from dse.handles import Sweep
from dse.runners.inline import InlineRunner
from dse.search import samplers
from testing.small_space import Evaluate

GPUS = ["a100-80gb", "h100-sxm"]


@pytest.fixture
def client(home: Path, quick: Evaluate) -> Client:
    return Client(home, partial(InlineRunner, quick), tracking=False)


def sampler(start_up: int = 2) -> BaseSampler:
    return TPESampler(n_startup_trials=start_up, seed=7)


def tried(sweep: Sweep) -> list[tuple[int, str, int]]:
    return sorted((trial.number, trial.gpu, trial.point_index) for trial in sweep.trials())


def test_an_object_chooses_the_points_the_same_each_time(client: Client, space_file: Path) -> None:
    sweep, again = (client.submit(space_file, GPUS, trials=24, sampler=sampler()).wait() for _ in range(2))
    assert sweep.id != again.id
    assert tried(sweep) == tried(again)
    assert len({place[1:] for place in tried(sweep)}) == 24
    assert sweep.status().search.startswith("TPESampler-")
    other = client.submit(space_file, GPUS, trials=24, sampler=sampler(start_up=9)).wait()
    assert tried(other) != tried(sweep)


def test_another_process_says_that_it_does_not_have_the_object(
    client: Client, space_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sweep = client.submit(space_file, GPUS, trials=8, sampler=sampler()).wait()
    monkeypatch.setattr(samplers, "_GIVEN", {})
    with pytest.raises(
        InputError, match=r"an object of the process that submitted the sweep; submit .* again"
    ):
        sweep.resume(trials=12)


def test_an_object_that_cannot_be_used_is_refused_before_any_work(client: Client, space_file: Path) -> None:
    def submit(client: Client, sampler: object, **options: object) -> None:
        client.submit(space_file, GPUS, trials=8, sampler=sampler, **options)  # type: ignore[arg-type]

    for elsewhere in (Client("http://127.0.0.1:9"), client.queue()):
        with pytest.raises(InputError, match=r"cannot be sent to a server: name a sampler.* with Client\(\)"):
            submit(elsewhere, sampler())
    with pytest.raises(InputError, match=r"an object of optuna\.samplers, not a int"):
        submit(client, 5)
    with pytest.raises(InputError, match="give it its options where it is made"):
        submit(client, sampler(), sampler_options={"n_startup_trials": 3})
    assert client.sweeps() == []
