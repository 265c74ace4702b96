"""The schema: what the migrations make, older databases and newer ones."""

import shutil
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine

from dse.store import Store, StoreError, SweepCounts, Trial, TrialQuery
from dse.store.database.engine import MIGRATIONS, revisions
from dse.store.schema.models import Base
from testing.dot_sweeps import SPEC, result, trial


def test_the_migrations_make_what_the_models_say(empty: str) -> None:
    Store.open(empty).close()
    engine = create_engine(empty)
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, Base.metadata) == []
    engine.dispose()


def test_a_store_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    Store.open(tmp_path / "dse.db")
    with sqlite3.connect(tmp_path / "dse.db") as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(StoreError, match="schema 9999, written by a newer version of this program"):
        Store.open(tmp_path / "dse.db")


def test_a_database_of_the_first_schema_is_upgraded_whole(tmp_path: Path) -> None:
    shutil.copy(Path(__file__).parents[1] / "data" / "store_0001.db", tmp_path / "dse.db")
    store = Store.open(tmp_path / "dse.db")
    first, second, third = store.sweeps()
    assert [sweep.key for sweep in (first, second, third)] == ["1", "2", "3"]
    assert [sweep.state for sweep in (first, second, third)] == ["finished", "stopped", "running"]
    assert not any(sweep.managed or sweep.stop_requested or sweep.priority for sweep in store.sweeps())
    assert [store.counts(sweep.id) for sweep in store.sweeps()] == [
        SweepCounts(8, 4, 12, 0, {"LaunchError": 2, "WorkerLost": 2}),
        SweepCounts(4, 4, 0, 8, {"LaunchError": 2, "WorkerLost": 2}),
        SweepCounts(4, 2, 6, 0, {"LaunchError": 1, "WorkerLost": 1}),
    ]
    assert [len(store.trials(sweep.id)) for sweep in store.sweeps()] == [12, 8, 6]
    assert store.trials(1, TrialQuery("gpu = 'h200'", limit=1))[0].mlflow_run_id == "b" * 32
    assert [child.logged for child in store.outbox.children(1).values()] == [True]
    assert [(best.gpu, best.point_index, best.score) for best in store.winners(1)] == [
        ("h200", 5, 5.0),
        ("a100-80gb", 5, 5.0),
    ]
    assert [(best.gpu, best.parameters["n"], best.point_index) for best in store.winners(2)] == [
        ("h200", 512, 1),
        ("a100-80gb", 512, 1),
    ]
    assert [(best.point_index, best.score) for best in store.winners(3)] == [(5, -2.25)]
    hashes = [f"dot-h200-{index}" for index in (1, 2, 3)]
    assert store.known(hashes).keys() == {"dot-h200-1", "dot-h200-3"}  # 2 lost its worker
    assert all(store.has_lost_points(sweep.id) for sweep in store.sweeps())
    found = Trial(2, "h200", 2, {"unroll": 4, "n": 512}, result("dot-h200-2", 0.5))
    store.record(2, [found])
    assert [store.counts(sweep.id).complete for sweep in store.sweeps()] == [9, 5, 4]
    assert [best.point_index for best in store.winners(2)] == [2, 1]
    assert store.create_sweep(SPEC).key == "4"


def test_migrations_are_named_by_their_revisions_in_order() -> None:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    scripts = ScriptDirectory.from_config(config).walk_revisions()
    assert list(revisions()) == [script.revision for script in scripts][::-1]


def test_a_sweep_extended_by_an_older_version_lists_its_trials_by_number(empty: str) -> None:
    store = Store.open(empty)
    sweep = store.create_sweep(replace(SPEC, sampler="tpe", search={"kept": {"h200": [{"unroll": 1}]}})).id
    store.record(sweep, [trial(1), trial(0)])
    store.close()
    engine = create_engine(empty)
    with engine.begin() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '0013'")
    engine.dispose()
    kept = Store.open(empty).sweep(sweep).spec.search["kept"]
    assert kept == [[number, "h200", trial(number).parameters] for number in (0, 1)]
