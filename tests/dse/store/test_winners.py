"""The best trial of each GPU and of each workload."""

from dataclasses import replace

from dse.store import Store, SweepSpec
from testing.dot_sweeps import SPEC, failure, indices, result, trial


def test_the_best_of_each_gpu_is_the_lowest_index_of_equals(store: Store, sweep: int) -> None:
    times = {0: 3.0, 1: 1.0, 2: 1.0}
    for gpu in SPEC.gpus:
        store.record(sweep, [trial(i, gpu, result(f"{gpu}{i}", time)) for i, time in times.items()])
    store.record(sweep, [trial(3, "h200", failure("x", "MemoryFault"))])
    assert {gpu: best.point_index for gpu, best in store.best(sweep).items()} == {"h200": 1, "a100-80gb": 1}
    assert list(store.best(sweep, "h200")) == ["h200"]
    assert store.best(sweep, "b200") == {}


def test_every_workload_has_a_winner_on_every_gpu(store: Store) -> None:
    sweep = store.create_sweep(replace(SPEC, workload=("unroll", "layout"))).id
    for gpu in SPEC.gpus:
        store.record(sweep, [trial(i, gpu, result(f"{gpu}{i}", 10.0 - i)) for i in range(9)])
    winners = [(best.gpu, best.parameters["unroll"], best.point_index) for best in store.winners(sweep)]
    assert winners == [
        (gpu, *best) for gpu in SPEC.gpus for best in ((1, 3), (1, 6), (2, 4), (2, 7), (4, 5), (4, 8))
    ]
    assert store.best(sweep, filter="params.unroll = 2 and params.layout = 'row'")["h200"].point_index == 4
    assert store.sweep(sweep).spec.workload == ("unroll", "layout")


def test_the_best_follows_the_objective(store: Store) -> None:
    spec = SweepSpec("dot", "", "", ("h200",), {"unroll": (1, 2)}, objectives=(("maximize", "ipc"),))
    sweep = store.create_sweep(spec).id
    store.record(sweep, [trial(i, outcome=result(f"{i}", ipc=ipc)) for i, ipc in enumerate((1.0, 3.0, 2.0))])
    store.record(sweep, [trial(3, outcome=failure("x", "LaunchError"))])
    assert store.best(sweep)["h200"].point_index == 1
    assert indices(store, sweep, "", "metrics.ipc desc") == [1, 2, 0, 3]
    assert indices(store, sweep, "", "metrics.ipc") == [0, 2, 1, 3]
