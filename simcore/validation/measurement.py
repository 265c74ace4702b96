"""Measurements on a GPU, independent of the tool, and how to launch the same variant here."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from simcore.errors import SimcoreError
from simcore.gpu import Gpu
from simcore.machine_code.binaries import machine_code
from simcore.machine_code.compiler import compile_kernel
from simcore.model.arguments import Argument
from simcore.session.request import Bounds

EXECUTED = "smsp__inst_executed.sum"
_STALL_PREFIX = "smsp__average_warps_issue_stalled_"
_STALL_SUFFIX = "_per_issue_active"
#: Two of Nsight's stalls are considered equal if the smaller one is at least this share of the larger.
EQUAL_STALLS = 0.95


class MeasurementError(SimcoreError):
    """A file of measurements, or a request about it, is invalid; the message names the place and the fix."""


@dataclass(frozen=True)
class Recipe:
    """How one variant is compiled and launched.

    Attributes:
        source: the text of the CUDA source.
        grid: blocks in x, y and z.
        block: threads in x, y and z.
        arguments: in the kernel's parameter order.
        defines: macros.
        register_cap: the compiler's register limit; None for none.
        dynamic_shared_bytes: dynamic shared memory per block.
        kernel: its name; optional if the source has only one.
        file_name: the source's name in compiler messages.
        headers: texts that the source may include, by name.
        options: additional compiler options.
        variables: contents of `__constant__` and `__device__` variables, by name.
        cold: whether the caches were empty.
        bounds: what becomes of reads outside of all buffers.
        binary: a cubin, a fatbin or PTX in place of the source.
    """

    source: str
    grid: tuple[int, ...]
    block: tuple[int, ...]
    arguments: tuple[Argument, ...]
    defines: Mapping[str, object] = field(default_factory=dict)
    register_cap: int | None = None
    dynamic_shared_bytes: int = 0
    kernel: str | None = None
    file_name: str = "kernel.cu"
    headers: Mapping[str, str] = field(default_factory=dict)
    options: tuple[str, ...] = ()
    variables: Mapping[str, Argument] = field(default_factory=dict)
    cold: bool = False
    bounds: Bounds = "error"
    binary: bytes | None = None

    def cubin(self, gpu: str | Gpu) -> bytes:
        """The machine code for a GPU; raises CompileError as `compile_cuda` does."""
        return self._compiled(gpu)[0]

    def launch(self, gpu: str | Gpu) -> dict[str, Any]:
        """Cubin, shape and arguments, as keywords of `simulate`; raises CompileError as `compile_cuda` does."""
        cubin, kernel = self._compiled(gpu)
        return {
            "cubin": cubin,
            "kernel": kernel or None,
            "grid": self.grid,
            "block": self.block,
            "arguments": list(self.arguments),
            "gpu": gpu,
            "dynamic_shared_bytes": self.dynamic_shared_bytes,
            "variables": self.variables,
            "cold": self.cold,
            "bounds": self.bounds,
        }

    def _compiled(self, gpu: str | Gpu) -> tuple[bytes, str]:
        """The cubin, and the kernel's name in it, empty for its only one."""
        if self.binary is not None:
            return machine_code(self.binary, gpu), self.kernel or ""
        return compile_kernel(
            self.source,
            self.kernel or "",
            gpu,
            self.defines,
            self.register_cap,
            self.options,
            file_name=self.file_name,
            headers=self.headers,
        )


class Variants(Protocol):
    """The variants of one kernel, for files with parameters but without code."""

    @property
    def kernel(self) -> str:
        """The kernel's name."""

    def points(self) -> Iterator[dict[str, Any]]:
        """Every variant's parameters, in launch order."""

    def recipe(self, parameters: Mapping[str, Any]) -> Recipe:
        """How to build and launch a variant; raises SimcoreError if none has these parameters."""


@dataclass(frozen=True)
class Measurement:
    """One launch on a GPU.

    Attributes:
        family: the kernel or space that it is a variant of.
        place: where it was read, e.g. `families.jsonl.gz:12`.
        parameters: of the variant; empty if the file has none.
        time_us: of one launch, in microseconds.
        counters: Nsight Compute's, by its names, in base units; empty if there are none.
        registers: per thread, or None.
        blocks_per_sm: resident blocks per SM, or None.
        grid: blocks in x, y and z, or None.
        block: threads in x, y and z, or None.
        recipe: how to launch the same variant here; None until it is paired with code.
    """

    family: str
    place: str
    parameters: dict[str, Any]
    time_us: float
    counters: dict[str, float] = field(default_factory=dict)
    registers: int | None = None
    blocks_per_sm: int | None = None
    grid: tuple[int, ...] | None = None
    block: tuple[int, ...] | None = None
    recipe: Recipe | None = None

    @property
    def name(self) -> str:
        """Family and parameters in one line."""
        return " ".join([self.family, *(f"{key}={value}" for key, value in self.parameters.items())])

    @property
    def warp_instructions(self) -> int | None:
        """Executed by the whole grid, as Nsight counted them; None without that counter."""
        count = self.counters.get(EXECUTED)
        return None if count is None else int(count)

    @property
    def stalls(self) -> dict[str, float]:
        """Warps in each state per issue, as of `SimulationResult`; empty without the counters."""
        return {
            name.removeprefix(_STALL_PREFIX).partition(_STALL_SUFFIX)[0]: value
            for name, value in self.counters.items()
            if name.startswith(_STALL_PREFIX)
        }

    @property
    def dominant_stalls(self) -> frozenset[str]:
        """The largest stall except `selected`, and those within 5 % of it; empty without the counters."""
        stalls = self.stalls
        stalls.pop("selected", None)
        largest = max(stalls.values(), default=0.0)
        return frozenset(name for name, value in stalls.items() if value >= EQUAL_STALLS * largest > 0.0)


@dataclass(frozen=True)
class MeasuredFile:
    """The contents of one file.

    Attributes:
        measurements: in file order.
        failed: number of variants without a time, because they failed on the GPU.
        device: the GPU's name as reported by its driver, or None.
    """

    measurements: tuple[Measurement, ...]
    failed: int = 0
    device: str | None = None
