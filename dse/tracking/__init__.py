"""MLflow, written from the store: a parent run a sweep, child runs for its trials.

The store is the truth and MLflow is a view of it, so an export may run late, be killed, fail, or be run again at any
moment: it writes what is missing and nothing twice. A run's id is stored before its content is written; a run whose
id was not stored in time is found again by its `dse.trial` tag under its parent.
"""

from dse.tracking.errors import TrackingError
from dse.tracking.exporter import MlflowExporter
from dse.tracking.tracker import MAX_CHILDREN, MlflowTracker

__all__ = ["MAX_CHILDREN", "MlflowExporter", "MlflowTracker", "TrackingError"]
