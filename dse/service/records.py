"""The records returned by the service: frozen dataclasses, also serialised as JSON."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, TypeVar

from dse.store import SweepCounts
from dse.store.records import ACTIVE, SweepOutline, SweepState
from simcore import Gpu
from simcore.gpu_rates import fp16_tensor_tflops, fp32_tflops, fp64_tflops

Item = TypeVar("Item")
#: What the rates of a list of GPUs are.
HMMA_NOTE = (
    "GB/s is what a streaming kernel achieves. FP16 HMMA is what mma.sync reaches; wgmma and tensor memory, which "
    "reach more, are not modelled."
)


@dataclass(frozen=True)
class Page(Generic[Item]):
    """A page of a list.

    Attributes:
        items: the items of the page.
        offset: number of items before the page.
        total: number of items in the list.
    """

    items: Sequence[Item]
    offset: int
    total: int


@dataclass(frozen=True)
class SweepStatus:
    """Status of a sweep.

    Attributes:
        id: its id: chosen by its submitter, or derived from its content or number.
        name: the kernel.
        state: `queued`, `running`, `stopping`, `stopped`, `finished` or `failed`.
        error: why it failed; of a running one, why nothing is recorded at the moment.
        total: number of trials planned.
        counts: recorded trials, by state and source.
        search: `exhaustive`, or the sampler's name.
        gpus: the names of its GPUs.
        priority: -10 to 10; each step doubles its share of the workers.
        created_at: when it was submitted.
        finished_at: when it ended; None if it has not.
        parameters: the names of its space's parameters, which tell apart spaces with the same kernel.
        owner: the name of the token that submitted it; None without tokens.
        mlflow_url: its runs in MLflow; None if it has none yet, or nobody knows where.
    """

    id: str
    name: str
    state: SweepState
    error: str | None
    total: int
    counts: SweepCounts
    search: str
    gpus: tuple[str, ...]
    priority: int
    owner: str | None
    created_at: datetime
    finished_at: datetime | None
    mlflow_url: str | None = None
    parameters: tuple[str, ...] = ()

    @classmethod
    def of(cls, sweep: SweepOutline, counts: SweepCounts, mlflow: str | None = None) -> "SweepStatus":
        """The status of a stored sweep; `mlflow` is the URL of MLflow's web interface."""
        return cls(
            id=sweep.key,
            name=sweep.name,
            state=sweep.state,
            error=sweep.error,
            total=sweep.total,
            counts=counts,
            search=sweep.sampler,
            gpus=sweep.gpus,
            parameters=sweep.parameters,
            priority=sweep.priority,
            owner=sweep.owner,
            created_at=sweep.created_at,
            finished_at=sweep.finished_at,
            mlflow_url=f"{mlflow}/{sweep.mlflow_page}" if mlflow and sweep.mlflow_page else None,
        )

    @property
    def done(self) -> int:
        """Recorded trials, including failed ones."""
        return self.counts.done

    @property
    def failed(self) -> int:
        """Recorded trials that failed."""
        return self.counts.failed

    @property
    def outcome(self) -> str:
        """The state in words; an ended sweep of which no trial completed says so."""
        return f"{self.state}, all trials failed" if self.all_failed else self.state

    @property
    def all_failed(self) -> bool:
        """Whether it has ended and no trial completed."""
        return bool(self.counts.failed) and not self.counts.complete and not self.is_active

    @property
    def is_active(self) -> bool:
        """Whether it is queued or running."""
        return self.state in ACTIVE


@dataclass(frozen=True)
class MlflowSync:
    """What an export to MLflow did.

    Attributes:
        sweep: the sweep, with the link to its runs.
        runs: number of trials' runs written.
    """

    sweep: SweepStatus
    runs: int


@dataclass(frozen=True)
class SpaceSummary:
    """An available space.

    Attributes:
        name: its name in requests.
        origin: `catalog`, or `uploaded`.
        owner: the name of the token that uploaded it; None without tokens and for catalog spaces.
        kernel: the kernel's name in the source.
        parameters: the values to try, by parameter.
        workload: the parameters that describe the problem rather than the variant.
        gpus: the names of its GPUs.
        points: number of valid points over all workloads; None if there are too many to count.
    """

    name: str
    origin: str
    owner: str | None
    kernel: str
    parameters: Mapping[str, Sequence[int | float | str | None]]
    workload: Sequence[str]
    gpus: Sequence[str]
    points: int | None


@dataclass(frozen=True)
class GpuSummary:
    """An available GPU profile.

    Attributes:
        name: its name in requests.
        architecture: what kernels are compiled for, such as `sm_90`.
        sms: number of streaming multiprocessors.
        clock_mhz: SM clock under load.
        registers_per_sm: 32-bit registers.
        shared_bytes_per_sm: shared memory.
        l2_bytes: capacity of L2.
        dram_gb_per_s: DRAM bandwidth that a streaming kernel achieves.
        fp32_tflops, fp64_tflops, fp16_tensor_tflops: peak rates at that clock, an FMA counted as two.
        label: whether the profile is calibrated, derived, extrapolated or, if somebody uploaded it, `what if`.
        words: for an uploaded profile, the known GPU with overrides that it stands for.
        owner: the name of the token that uploaded it.
    """

    name: str
    architecture: str
    sms: int
    clock_mhz: float
    registers_per_sm: int
    shared_bytes_per_sm: int
    l2_bytes: int
    dram_gb_per_s: float
    fp32_tflops: float
    fp64_tflops: float
    fp16_tensor_tflops: float
    label: str
    words: str | None = None
    owner: str | None = None

    @classmethod
    def of(cls, gpu: Gpu) -> "GpuSummary":
        """The summary of a profile."""
        return cls(
            name=gpu.name,
            architecture=gpu.architecture,
            sms=gpu.sms,
            clock_mhz=gpu.clock_mhz,
            registers_per_sm=gpu.registers_per_sm,
            shared_bytes_per_sm=gpu.shared_bytes_per_sm,
            l2_bytes=gpu.l2_bytes,
            dram_gb_per_s=gpu.dram_gb_per_s,
            fp32_tflops=fp32_tflops(gpu),
            fp64_tflops=fp64_tflops(gpu),
            fp16_tensor_tflops=fp16_tensor_tflops(gpu),
            label=gpu.label,
        )
