"""The contents of a kernel's `__constant__` and `__device__` variables, as a host program copies them there."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from simcore.errors import LaunchError
from simcore.machine_code.cubin import Kernel, Variable
from simcore.model.arguments import Argument, Buffer


def with_contents(kernel: Kernel, known: Mapping[str, Variable], given: Mapping[str, Argument]) -> Kernel:
    """The kernel with other contents of some variables.

    Args:
        kernel: as compiled.
        known: the variables of its cubin, by name.
        given: contents by name, each as large as the variable.

    Raises:
        LaunchError: there is no such variable, or it is of another size.
    """
    banks = {number: bytearray(content) for number, content in kernel.constant_banks.items()}
    others = bytearray(kernel.variables)
    for name, content in given.items():
        variable = known.get(name.removeprefix("::"))
        if variable is None:
            listed = ", ".join(f"{each.name} ({each.size} bytes)" for each in known.values()) or "none"
            raise LaunchError(
                f"{kernel.called} has no variable {name}; its __constant__ and __device__ ones: {listed}"
            )
        held = (content.materialise() if isinstance(content, Buffer) else np.asarray(content)).tobytes()
        if len(held) != variable.size:
            raise LaunchError(
                f"the variable {name} has {variable.size} bytes, but the contents given for it have {len(held)}"
            )
        place = others if variable.bank is None else banks[variable.bank]
        place[variable.offset : variable.offset + variable.size] = held
    contents = {number: bytes(content) for number, content in banks.items()}
    return replace(kernel, constant_banks=contents, variables=bytes(others))
