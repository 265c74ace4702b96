"""What a valid space leaves unchecked or asks in vain: said beside a check and a sweep's answer, and no error."""

from collections.abc import Iterator

from dse.evaluation.machine_code import compile_task
from dse.evaluation.points import task_for
from search_spaces import Space, SpaceError
from search_spaces.fields import REGISTER_CAP
from simcore import SimcoreError, read_kernel

#: Of a register cap, if the kernel has `__launch_bounds__`.
CAP_IS_IGNORED = (
    "does not limit the registers: the kernel's __launch_bounds__ wins, though the compiler may choose others; "
    "remove one of them"
)
#: Of a space without `expect`.
NOT_COMPARED = "outputs are not compared, so a wrong variant may win; with `expect: {BUFFER: first}` they are"
#: Of a space with `expect`.
EXECUTED = (
    "for `expect` every block of every variant is executed, which may take longer than the prediction; "
    "a smaller workload is checked sooner"
)


def notes(space: Space) -> Iterator[str]:
    """A sentence for each; one point with a register cap is compiled."""
    yield NOT_COMPARED if space.expectation is None else EXECUTED
    if _has_launch_bounds_beside_a_cap(space):
        yield f"{REGISTER_CAP} {CAP_IS_IGNORED}"


def _has_launch_bounds_beside_a_cap(space: Space) -> bool:
    caps = [cap for cap in space.parameters.get(REGISTER_CAP, ()) if cap is not None]
    try:
        point = next(space.override({REGISTER_CAP: caps}).points()) if caps else None
        if point is None:
            return False
        cubin, kernel = compile_task(task_for(space, point, space.gpus[0]))
    except (SpaceError, SimcoreError):
        return False  # no point has a cap, or this one does not compile
    return read_kernel(cubin, kernel).max_threads is not None
