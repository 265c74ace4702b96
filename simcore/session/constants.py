"""The constant banks of a launch, as the driver and the caller fill them."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from simcore.core import isa
from simcore.model.arguments import Argument, Buffer, Struct, pointers_of
from simcore.model.launch import Launch
from simcore.session.driver_constants import fill_driver_constants


def constant_banks(launch: Launch, starts: NDArray[np.int64]) -> dict[int, bytes]:
    """All banks by number, with the addresses of variables, and of functions of the driver, filled in.

    Args:
        starts: device addresses of the launch's memory regions.
    """
    banks = {bank: bytearray(content) for bank, content in launch.kernel.constant_banks.items()}
    for pointer in launch.kernel.pointers:
        if pointer.bank is not None:
            _point(banks[pointer.bank], pointer.offset, starts[-1] + pointer.value)
    for number, external in enumerate(launch.kernel.externals):
        _point(banks[external.bank], external.offset, np.int64(isa.EXTERNAL_WINDOW << 32 | number))
    return {bank: bytes(content) for bank, content in banks.items()} | {0: _bank_0(launch, starts)}


def variables(launch: Launch, starts: NDArray[np.int64]) -> bytes:
    """The initial bytes of the module's variables, with addresses of variables filled in; empty if it has none."""
    content = bytearray(launch.kernel.variables)
    for pointer in launch.kernel.pointers:
        if pointer.bank is None:
            _point(content, pointer.offset, starts[-1] + pointer.value)
    return bytes(content)


def _point(content: bytearray, offset: int, address: np.int64) -> None:
    content[offset : offset + 8] = np.uint64(address).tobytes()


def _bank_0(launch: Launch, starts: NDArray[np.int64]) -> bytes:
    """What the driver leaves, then the parameters."""
    kernel = launch.kernel
    end = max((p.offset + p.size for p in kernel.parameters), default=0)
    bank = bytearray(max(len(kernel.constant_banks.get(0, b"")), kernel.parameter_base + end, 0x400))
    fill_driver_constants(bank, launch)
    addresses = iter(starts.tolist())
    for parameter, argument in zip(kernel.parameters, launch.arguments, strict=True):
        at = kernel.parameter_base + parameter.offset
        own = [next(addresses) for _ in pointers_of(argument)]
        bank[at : at + parameter.size] = _passed(argument, own)
    return bytes(bank)


def _passed(argument: Argument, addresses: Sequence[int]) -> bytes:
    """The bytes of a parameter; `addresses` are those of the buffers that it points to."""
    if isinstance(argument, Struct):
        return argument.with_addresses(addresses)
    if isinstance(argument, (np.ndarray, Buffer)):
        return np.uint64(addresses[0]).tobytes()
    return argument.tobytes()
