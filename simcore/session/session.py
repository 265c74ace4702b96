"""A prepared launch: cubin decoded, shape and arguments checked, ready to run in the core any number of times."""

from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from operator import index
from pathlib import Path
from typing import TypeVar, get_args

import numpy as np
from numpy.typing import NDArray

from simcore.analysis.control_flow import calls_back
from simcore.analysis.slicing import Actions, Slice
from simcore.core import isa
from simcore.core.machine import REPORT_BOUNDS, REPORT_BUFFER, REPORT_STATUS, REPORT_UNSURE, Machine
from simcore.errors import CubinError, LaunchError, UnsupportedInstruction
from simcore.gpu import Gpu
from simcore.gpu_profiles import load_gpu
from simcore.lowering import lower
from simcore.lowering.program import Program
from simcore.lowering.soundness import check_code
from simcore.machine_code.cubin import Kernel, read_kernel, read_variables
from simcore.machine_code.sass import decode
from simcore.model.arguments import check_arguments
from simcore.model.clock import at_its_clock
from simcore.model.launch import Launch, dimensions
from simcore.model.occupancy import check_architecture, check_launch, check_launch_bounds
from simcore.model.variables import with_contents
from simcore.native import Stretch
from simcore.session.driver_constants import check_driver_constants
from simcore.session.faults import raise_for, source_line
from simcore.session.known import Known
from simcore.session.machine import Constants, build_machine, changes_buffers, constants_of
from simcore.session.request import Bounds, LaunchRequest

DEFAULT_STACK_BYTES = 1024
"""Stack per thread if the compiler cannot determine it: the driver's default cudaLimitStackSize."""

MAX_LOCAL_BYTES = 512 << 10
"""Of a thread (CUDA C++ Programming Guide, technical specifications)."""

STACK_ALIGNMENT = 16
"""Bytes; the compiler places what it accesses at once from the top of the stack down."""

Outcome = TypeVar("Outcome")


@dataclass(frozen=True, eq=False)
class Session:
    """A checked launch on a GPU, and its lowered program.

    Attributes:
        gpu: at the clock at which it runs this kernel.
        cubin: what it was read from.
        bounds: what becomes of reads outside of all buffers.
        mattered: buffers whose contents turned out to matter in a run; those after it keep them from the start.
        stored: those of them to which the kernel stores; if there are any, runs execute its stores.
        known: blocks that were run, by what was executed of them and within which bounds.
        logging: native code that logs accesses, by what it does with each instruction.
        unsure: how often parted lanes went on in an order that is not modelled exactly, of each run in which they did.
    """

    gpu: Gpu
    launch: Launch
    program: Program
    cubin: bytes | str | Path
    bounds: Bounds = "error"
    mattered: set[int] = field(default_factory=set)
    stored: set[int] = field(default_factory=set)
    known: dict[Hashable, Known] = field(default_factory=dict)
    logging: dict[bytes, Stretch] = field(default_factory=dict)
    unsure: list[int] = field(default_factory=list)
    _memory: dict[frozenset[int], NDArray[np.uint32]] = field(default_factory=dict)

    @cached_property
    def visited(self) -> NDArray[np.uint8]:
        """Whether the interpreter came to each instruction, in a run without time."""
        return np.zeros(len(self.program.code), np.uint8)

    @cached_property
    def _constants(self) -> Constants:
        return constants_of(self.launch, self.program)

    def actions(self, what: Slice) -> Actions:
        """What to do with each instruction, as far as it is known whether the kernel reads what it stores."""
        return what(self.program, bool(self.stored))

    def run(
        self,
        what: Slice,
        warps: int,
        block_slots: int,
        core: Callable[[Machine], Outcome],
        backed: Iterable[int] = (),
    ) -> Outcome:
        """Run the core on a new machine; rerun for each buffer whose contents turn out to matter, and if stores do.

        Args:
            what: what is executed.
            warps: warp slots.
            block_slots: block slots.
            core: runs the machine.
            backed: the global memory regions whose contents are kept from the start.

        Returns:
            The return value of `core`.

        Raises:
            SimcoreError: what stopped the kernel (see `simcore.session.faults`).
        """
        while True:
            kept, actions = frozenset(self.mattered.union(backed)), self.actions(what)
            earlier = self._memory.pop(kept, None)
            self._memory.clear()
            machine = build_machine(
                self.launch,
                self.program,
                self._constants,
                actions,
                kept,
                warps,
                block_slots,
                self.gpu.clock_mhz,
                self.visited,
                earlier,
            )
            machine.report[REPORT_BOUNDS] = self.bounds == "warn"
            outcome = core(machine)
            if not changes_buffers(self.program, actions):
                self._memory[kept] = machine.memory
            if machine.report[REPORT_STATUS] not in (isa.NEEDS_BUFFER, isa.NEEDS_STORES):
                raise_for(machine, self.launch, self.program, self.cubin)
                if machine.report[REPORT_UNSURE]:
                    self.unsure.append(int(machine.report[REPORT_UNSURE]))
                return outcome
            needed = self.mattered if machine.report[REPORT_STATUS] == isa.NEEDS_BUFFER else self.stored
            needed.add(int(machine.report[REPORT_BUFFER]))
            del machine, outcome  # whose memory may be large, before there is another one


def _whole(number: int, name: str) -> int:
    try:
        return index(number)
    except TypeError:
        raise LaunchError(f"{name} is {number!r}; give an integer") from None


def prepare(request: LaunchRequest) -> Session:
    """Read, check and decode; all refusals happen here.

    Raises:
        UnknownGpu, CubinError, LaunchError, UnsupportedInstruction.
    """
    gpu = load_gpu(request.gpu)
    kernel = read_kernel(request.cubin, request.kernel)
    check_architecture(kernel, gpu)
    if kernel.cluster != (1, 1, 1):
        raise LaunchError(
            f"{kernel.called} runs in clusters of {' x '.join(map(str, kernel.cluster))} blocks (__cluster_dims__); "
            "thread block clusters are not modelled"
        )
    if request.variables:
        kernel = with_contents(kernel, read_variables(request.cubin), request.variables)
    grid, block = dimensions(request.grid, "grid"), dimensions(request.block, "block")
    dynamic = _whole(request.dynamic_shared_bytes, "dynamic_shared_bytes")
    check_launch(gpu, block, grid, kernel.static_shared_bytes, dynamic, kernel.registers)
    check_launch_bounds(kernel, block)
    if request.bounds not in get_args(Bounds):
        raise LaunchError(f"bounds is {request.bounds!r}; it is one of: {', '.join(get_args(Bounds))}")
    check_arguments(kernel, request.arguments, request.argument_names)
    with _naming_source_lines(request.cubin):
        program = _program(kernel.code, kernel.architecture, kernel.registers, kernel.name)
    shared = kernel.static_shared_bytes + dynamic
    return Session(
        at_its_clock(gpu, program),
        Launch(
            kernel,
            grid,
            block,
            tuple(request.arguments),
            shared,
            _stack_bytes(kernel, program),
            argument_names=tuple(request.argument_names),
        ),
        program,
        request.cubin,
        request.bounds,
    )


@contextmanager
def _naming_source_lines(cubin: bytes | str | Path) -> Iterator[None]:
    """Let errors about instructions name the source lines that these come from."""
    try:
        yield
    except UnsupportedInstruction as error:
        line = source_line(cubin, error.kernel, error.address)
        raise UnsupportedInstruction(**error.data | {"line": line}) from None


@lru_cache(maxsize=32)
def _program(code: bytes, architecture: str, registers: int, name: str) -> Program:
    """The lowered program; the same object for the same code, so that its slices are cached too."""
    instructions = decode(code, architecture)
    program = lower(instructions, registers, name)
    check_driver_constants(instructions, architecture, name)
    check_code(program, registers, name)
    return program


def _stack_bytes(kernel: Kernel, program: Program) -> int:
    needed = max(kernel.local_bytes, DEFAULT_STACK_BYTES) if calls_back(program) else kernel.local_bytes
    if needed > MAX_LOCAL_BYTES:
        raise CubinError(
            f"{kernel.called} has {needed:,} bytes of local memory a thread, at most {MAX_LOCAL_BYTES:,} are allowed"
        )
    return -(-needed // STACK_ALIGNMENT) * STACK_ALIGNMENT
