"""What a valid space leaves unchecked or asks in vain: said beside a check and a sweep's answer, and no error."""

from collections.abc import Iterator

from dse.evaluation.machine_code import compile_task
from dse.evaluation.points import task_for
from search_spaces import Space, SpaceError
from search_spaces.fields import REGISTER_CAP
from simcore import SimcoreError, read_kernel, read_variables
from simcore.machine_code.cubin import Kernel

#: Of a register cap, if the kernel has `__launch_bounds__`.
CAP_IS_IGNORED = (
    "does not limit the registers: the kernel's __launch_bounds__ wins, though the compiler may choose others; "
    "remove one of them"
)
#: Of a space without `expect`.
NOT_COMPARED = (
    "outputs are not compared, so a wrong variant may win; add `expect: {BUFFER: first}` to compare them"
)
#: Of a space with `expect`.
EXECUTED = (
    "for `expect` every variant is translated to this processor's code and all its blocks are executed, which may take "
    "longer than the prediction; a smaller workload saves part of it"
)


def notes(space: Space) -> Iterator[str]:
    """A sentence for each; one point, with the smallest register cap, is compiled."""
    yield NOT_COMPARED if space.expectation is None else EXECUTED
    caps = sorted(cap for cap in space.parameters.get(REGISTER_CAP, ()) if isinstance(cap, int))
    try:
        capped = space.override({REGISTER_CAP: caps[:1]}) if caps else space
        cubin, name = compile_task(task_for(capped, next(capped.points()), space.gpus[0]))
    except (SpaceError, SimcoreError):
        return  # no point has that cap, or this one does not compile
    kernel = read_kernel(cubin, name)
    if caps and (why := cap_in_vain(caps[0], kernel)):
        below = [str(cap) for cap in caps if cap < kernel.registers and kernel.max_threads is None]
        yield " ".join([REGISTER_CAP, *([", ".join(below)] if below else []), why])
    if zero := _zero_constants(space, cubin, kernel):
        yield f"{', '.join(zero)} of `__constant__` is all zero: give its contents in `variables`"


def cap_in_vain(cap: int, kernel: Kernel) -> str | None:
    """Why a kernel that was compiled with a register cap does not keep it, after its name; None if it does."""
    if kernel.max_threads is not None:
        return CAP_IS_IGNORED
    if cap < kernel.registers:
        return f"is not kept: the compiler gives at least {kernel.registers} registers"
    return None


def _zero_constants(space: Space, cubin: bytes, kernel: Kernel) -> list[str]:
    """The variables in constant memory that neither the kernel nor the space gives contents."""
    given = {section.name.removeprefix("::") for section in space.variable_sections}
    return [
        variable.name
        for variable in read_variables(cubin).values()
        if variable.bank is not None
        and variable.name not in given
        and not any(kernel.constant_banks[variable.bank][variable.offset : variable.offset + variable.size])
    ]
