"""The tables for SQLAlchemy Core, and conditions shared by several parts of the store."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TypeVar, cast

from sqlalchemy import Table, or_, select

from dse.store.schema.models import (
    Base,
    DeletedSweep,
    GpuProfile,
    Result,
    Space,
    Sweep,
    Token,
    Trial,
    TrialColumn,
    TrialCount,
)

#: Maximum number of values bound in one statement; below every database's limit.
VALUES_PER_QUERY = 500

_T = TypeVar("_T")


def chunks(values: Iterable[_T], size: int = VALUES_PER_QUERY) -> Iterator[Sequence[_T]]:
    """The values in batches that one statement can bind."""
    remaining = iter(values)
    return iter(lambda: list(islice(remaining, size)), [])


def _table(model: type[Base]) -> Table:
    return cast(Table, model.__table__)


SWEEPS, RESULTS, TRIALS, TRIAL_COUNTS, TRIAL_COLUMNS, TOKENS, SPACES, GPU_PROFILES, DELETED_SWEEPS = (
    _table(model)
    for model in (Sweep, Result, Trial, TrialCount, TrialColumn, Token, Space, GpuProfile, DeletedSweep)
)


#: The columns of a sweep without runs in MLflow.
NOT_EXPORTED = {"mlflow_run_id": None, "mlflow_page": None}
#: Whether evaluating the point again would give the same outcome; like `Outcome.is_known`.
RESULT_IS_KNOWN = or_(RESULTS.c.state == "complete", RESULTS.c.final)
#: Trials joined with their results, one row each.
TRIALS_WITH_RESULTS = select(TRIALS, *(column for column in RESULTS.c if column.name not in TRIALS.c)).join(
    RESULTS, RESULTS.c.point_hash == TRIALS.c.point_hash
)
