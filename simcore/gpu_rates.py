"""Peak rates as data sheets state them: those that follow from a profile's numbers, dense at its clock, and DRAM's."""

from simcore.gpu import Gpu

LANES = 32
FMA_OF_HMMA_16816 = 16 * 8 * 16

#: GB/s of DRAM that NVIDIA states: in the data sheet, for GeForce GPUs in the white paper of GA102, AD102 or GB202.
#: What a kernel can achieve, and the simulator works with, is less: `Gpu.dram_gb_per_s`.
_DRAM_GB_PER_S = {
    "a10": 600,
    "a100-40gb": 1555,
    "a100-80gb": 2039,
    "b200": 8000,
    "h100-pcie": 2000,
    "h100-sxm": 3350,
    "h200": 4800,
    "l4": 300,
    "l40s": 864,
    "rtx-a4000": 448,
    "rtx-a6000": 768,
    "rtx3090": 936,
    "rtx4090": 1008,
    "rtx5090": 1792,
}


def stated_dram_gb_per_s(gpu: Gpu) -> float | None:
    """GB/s of DRAM in the data sheet; None for a GPU that does not exist, or that is somebody's own."""
    return None if gpu.label == "what if" else _DRAM_GB_PER_S.get(gpu.name)


def fp32_tflops(gpu: Gpu) -> float:
    """FP32, an FMA counted as two."""
    pipes = [interval for interval in (gpu.fma_heavy_interval, gpu.fma_lite_interval) if interval]
    return _teraflops(gpu, sum(LANES / interval for interval in pipes))


def fp64_tflops(gpu: Gpu) -> float:
    """FP64 outside the tensor cores, an FMA counted as two."""
    return _teraflops(gpu, LANES / gpu.fp64_interval)


def fp16_tensor_tflops(gpu: Gpu) -> float:
    """FP16 on the tensor cores through HMMA, which Hopper's and Blackwell's own instructions exceed; at their clock."""
    return _teraflops(gpu, FMA_OF_HMMA_16816 / gpu.tensor_interval) * gpu.tensor_clock_share


def _teraflops(gpu: Gpu, fma_per_cycle: float) -> float:
    """From the FMAs of a sub-partition in a cycle."""
    return 2e-6 * fma_per_cycle * gpu.schedulers_per_sm * gpu.sms * gpu.clock_mhz
