"""The public call: predict the time of one launch, and say what held it up."""

from simcore.diagnosis.result import SimulationResult, result_of
from simcore.session.request import TimingRequest, takes
from simcore.session.timing import run_launch


@takes(TimingRequest)
def simulate(request: TimingRequest) -> SimulationResult:
    """Predict one launch. The arguments' contents are read where they decide addresses or branches, never written.

    The keywords are the attributes of `simcore.session.request.TimingRequest`.

    Raises:
        SimcoreError: one of its kinds; see `simcore.errors`.
    """
    return result_of(run_launch(request))
