"""Public call: predict the time of one launch and explain what limits it."""

from simcore.diagnosis.result import SimulationResult, result_of
from simcore.session.request import TimingRequest, takes
from simcore.session.timing import run_launch


@takes(TimingRequest)
def simulate(request: TimingRequest) -> SimulationResult:
    """Predict one launch. The arguments' contents are read where addresses or branches depend on them, never written.

    The keywords are the attributes of `simcore.session.request.TimingRequest`.

    Raises:
        SimcoreError: a subclass of it; see `simcore.errors`.
    """
    return result_of(run_launch(request))
