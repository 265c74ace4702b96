"""Export to MLflow from the store: one parent run per sweep, child runs for its trials.

The store is the source of truth and MLflow is a view of it. The export is idempotent: it may be late, fail, be killed
or repeated at any time. A run's id is stored before its content is written; a run whose id was not stored is found by
its `dse.gpu` and `dse.number` tags under its parent.
"""

from dse.tracking.errors import TrackingError
from dse.tracking.exporter import MlflowExporter
from dse.tracking.tracker import MAX_CHILDREN, MlflowTracker

__all__ = ["MAX_CHILDREN", "MlflowExporter", "MlflowTracker", "TrackingError"]
