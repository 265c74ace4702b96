"""Peak rates that follow from a profile's numbers, as data sheets state them: dense, at the profile's clock."""

from simcore.gpu import Gpu

LANES = 32
FMA_OF_HMMA_16816 = 16 * 8 * 16


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
