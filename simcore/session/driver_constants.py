"""What the driver leaves in constant bank 0 before the parameters; a kernel that reads anything else is refused.

The places were read from the code that the compiler emits for each architecture.
"""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from simcore.core import isa
from simcore.errors import UnsupportedInstruction
from simcore.machine_code.cubin import SYSTEM_SHARED_BYTES
from simcore.machine_code.sass import Instruction
from simcore.model.launch import Launch

_SIZES = {
    "block": 12,
    "grid": 12,
    "stack": 4,
    "local_window": 8,
    "shared_window": 8,
    "dynamic_shared_bytes": 4,
    "cluster": 12,
    "inverse_of_cluster": 8,  # 1 / its blocks in y and in z
    "clusters": 12,
    "blocks_of_cluster": 4,
    "is_cluster": 4,
    "descriptor": 8,
    "system_shared": 4,  # where cooperative groups keep the state of tiles of several warps
    "grid_number": 8,
    "graph": 8,
    "cooperative": 8,
    "aliases": 4,  # which a fence.proxy.alias asks for
    "global_begin": 8,  # an address below it is not global, says isspacep: none is in memory of the simulator
}
"""Bytes of each; the last seven are zero, or whatever they are. Without `cooperative`, `grid.sync()` stops."""

_PLACES = {
    "sm_8": {
        "block": 0x0, "grid": 0xC, "shared_window": 0x18, "local_window": 0x20, "stack": 0x28,
        "dynamic_shared_bytes": 0x2C, "grid_number": 0x30, "global_begin": 0x50, "cooperative": 0x8C,
        "descriptor": 0x118, "system_shared": 0x124, "aliases": 0x128, "graph": 0x130,
    },
    "sm_9": {
        "block": 0x0, "grid": 0xC, "shared_window": 0x18, "local_window": 0x20, "stack": 0x28,
        "dynamic_shared_bytes": 0x2C, "grid_number": 0x30, "cooperative": 0x44, "system_shared": 0x6C,
        "global_begin": 0xD0, "is_cluster": 0x140, "cluster": 0x144, "inverse_of_cluster": 0x154, "clusters": 0x15C,
        "blocks_of_cluster": 0x188, "aliases": 0x18C, "graph": 0x190, "descriptor": 0x208,
    },
    "sm_1": {
        "global_begin": 0x120, "grid_number": 0x140, "cooperative": 0x254, "system_shared": 0x27C, "cluster": 0x2A0,
        "dynamic_shared_bytes": 0x2AC, "inverse_of_cluster": 0x2B4, "clusters": 0x2C0, "blocks_of_cluster": 0x2CC,
        "aliases": 0x2D8, "graph": 0x2E8, "local_window": 0x2F8, "descriptor": 0x358, "block": 0x360,
        "is_cluster": 0x36C, "grid": 0x370, "stack": 0x37C,
    },
}  # fmt: skip
_NUMBER_OF_SMS = {"sm_8": 0x10C, "sm_9": 0x10C, "sm_1": 0x2D0}
_ALIGNMENT = 16
_PARAMETERS = {"sm_8": 0x160, "sm_9": 0x210, "sm_1": 0x380}


_OF_COOPERATIVE_GROUPS = 0
"""Where their part of the system's shared memory begins on an H100 (%reserved_smem_offset_1)."""


def system_shared_address(launch: Launch) -> int:
    """The part of a block's shared memory that the system leaves to cooperative groups: before its own, or behind."""
    own = launch.shared_bytes
    return _OF_COOPERATIVE_GROUPS if launch.kernel.shared_base else -(-own // _ALIGNMENT) * _ALIGNMENT


def shared_end(launch: Launch, instructions: Sequence[Instruction]) -> int:
    """The end of the shared memory that a block may address."""
    kernel = launch.kernel
    place = _PLACES[kernel.architecture[:4]]["system_shared"]
    if kernel.shared_base or place not in {at for _, at in _reads_of_bank_0(instructions)}:
        return kernel.shared_base + launch.shared_bytes
    return system_shared_address(launch) + SYSTEM_SHARED_BYTES


def fill_driver_constants(bank: bytearray, launch: Launch) -> None:
    """Fill in what the driver leaves in constant bank 0."""
    grid = np.array(launch.grid, np.uint32).tobytes()
    values = {
        "block": np.array(launch.block, np.uint32).tobytes(),
        "grid": grid,
        "stack": np.uint32(launch.stack_bytes).tobytes(),
        "local_window": np.uint64(isa.LOCAL_WINDOW << 32).tobytes(),
        "shared_window": np.uint64(isa.SHARED_WINDOW << 32).tobytes(),
        "dynamic_shared_bytes": np.uint32(launch.shared_bytes - launch.kernel.static_shared_bytes).tobytes(),
        "system_shared": np.uint32(system_shared_address(launch)).tobytes(),
        "cluster": np.ones(3, np.uint32).tobytes(),
        "inverse_of_cluster": np.ones(2, np.float32).tobytes(),
        "clusters": grid,
        "blocks_of_cluster": np.uint32(1).tobytes(),
    }
    for name, at in _PLACES[launch.kernel.architecture[:4]].items():
        if name in values:
            bank[at : at + _SIZES[name]] = values[name]


def check_driver_constants(instructions: Sequence[Instruction], architecture: str, kernel: str) -> None:
    """Refuse a kernel that reads what is not known.

    Raises:
        UnsupportedInstruction: for the first such instruction.
    """
    family = architecture[:4]
    known = {byte for name, at in _PLACES[family].items() for byte in range(at, at + _SIZES[name])}
    for instruction, at in _reads_of_bank_0(instructions):
        if at < _PARAMETERS[family] and at not in known:
            feature = f"what the driver leaves at {at:#x} of constant bank 0"
            if at == _NUMBER_OF_SMS[family]:
                feature = "the number of SMs (%nsmid)"
            raise UnsupportedInstruction(str(instruction), instruction.address, kernel, feature=feature)


def _reads_of_bank_0(instructions: Iterable[Instruction]) -> Iterator[tuple[Instruction, int]]:
    """Instructions that read constant bank 0, and where."""
    for instruction in instructions:
        for operand in instruction.operands:
            if operand.kind == "constant" and operand.index == 0:
                yield instruction, operand.value
