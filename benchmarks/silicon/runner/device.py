"""The CUDA driver API in the few words that measuring needs: a GPU, its buffers, a kernel ready to launch.

Inputs are made exactly as the simulator makes its buffers: from the fill's name and a seed, by numpy's PCG64.
"""

import ctypes
from collections import OrderedDict
from pathlib import Path
from typing import Any

import numpy as np
from cuda.bindings import driver

CACHED_BYTES = 8 << 30  # host copies and device buffers kept between points of a space


class DeviceError(RuntimeError):
    """A driver call failed; `sticky` means that this process can use the GPU no more."""

    def __init__(self, call: str, status: driver.CUresult) -> None:
        super().__init__(f"{call}: {status.name}")
        self.sticky = status.value >= 700 or status.value in (214, 219, 220)


def call(function: Any, *arguments: Any) -> Any:
    """Call a driver function; return its value, a tuple if it has several, or raise DeviceError."""
    status, *values = function(*arguments)
    if status != driver.CUresult.CUDA_SUCCESS:
        raise DeviceError(function.__name__, status)
    return values[0] if len(values) == 1 else tuple(values)


def fill(spec: dict[str, Any]) -> np.ndarray:
    """The content of a buffer argument: dtype, elements, fill, seed and, for randint and sorted, high."""
    if spec["dtype"] == "bfloat16":
        return _upper_halves(fill(spec | {"dtype": "float32"}))
    dtype, elements = np.dtype(spec["dtype"]), spec["elements"]
    random = np.random.Generator(np.random.PCG64(spec["seed"]))
    match spec["fill"]:
        case "zeros":
            return np.zeros(elements, dtype)
        case "ones":
            return np.ones(elements, dtype)
        case "iota":
            return np.arange(elements).astype(dtype)
        case "uniform":
            drawn = random.random(elements, np.float64 if dtype == np.float64 else np.float32)
            return np.asarray(drawn).astype(dtype, copy=False)
        case "randint":
            return np.asarray(random.integers(0, spec["high"], elements)).astype(dtype)
        case "sorted":
            return np.sort(random.integers(0, spec["high"], elements)).astype(dtype)
        case "permutation":
            return random.permutation(elements).astype(dtype)
    raise ValueError(f"unknown fill {spec['fill']!r}")


def _upper_halves(singles: np.ndarray) -> np.ndarray:
    """Singles as bfloat16, rounded to nearest even, as their bits."""
    bits = singles.view(np.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)


class Buffer:
    """One buffer argument: its host content and its device copy."""

    def __init__(self, spec: dict[str, Any]) -> None:
        self.spec = spec
        self.host = fill(spec)
        self.address = call(driver.cuMemAlloc, max(self.host.nbytes, 16))
        self.refresh()

    def refresh(self) -> None:
        """Put the initial content back."""
        call(driver.cuMemcpyHtoD, self.address, self.host.ctypes.data, self.host.nbytes)

    def read(self) -> np.ndarray:
        """Copy the device's content to the host."""
        content = np.empty_like(self.host)
        call(driver.cuMemcpyDtoH, content.ctypes.data, self.address, self.host.nbytes)
        return content

    def free(self) -> None:
        """Give the device memory back."""
        call(driver.cuMemFree, self.address)


def launch_once(function: Any, blocks: int, threads: int, arrays: list[np.ndarray]) -> None:
    """Launch a kernel once on buffers with the contents of host arrays, and copy back what it left in them."""
    addresses = [call(driver.cuMemAlloc, array.nbytes) for array in arrays]
    for address, array in zip(addresses, arrays, strict=True):
        call(driver.cuMemcpyHtoD, address, array.ctypes.data, array.nbytes)
    values = [np.array([int(address)], np.uint64) for address in addresses]
    pointers = (ctypes.c_void_p * len(values))(*(value.ctypes.data for value in values))
    shape = (blocks, 1, 1, threads, 1, 1, 0)
    call(driver.cuLaunchKernel, function, *shape, 0, ctypes.addressof(pointers), 0)
    call(driver.cuCtxSynchronize)
    for address, array in zip(addresses, arrays, strict=True):
        call(driver.cuMemcpyDtoH, array.ctypes.data, address, array.nbytes)
        call(driver.cuMemFree, address)


class Kernel:
    """A kernel with its arguments in place, ready to be launched any number of times."""

    def __init__(self, module: Any, point: dict[str, Any], buffers: list[Buffer | None], name: str) -> None:
        self.function = call(driver.cuModuleGetFunction, module, name.encode())
        self.buffers = [buffer for buffer in buffers if buffer]
        self.grid, self.block = point["grid"], point["block"]
        self.dynamic_shared_bytes = point["dynamic_shared_bytes"]
        if self.dynamic_shared_bytes:
            limit = driver.CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
            call(driver.cuFuncSetAttribute, self.function, limit, self.dynamic_shared_bytes)
        values = [
            np.array([int(buffer.address)], np.uint64) if buffer else np.array([spec["value"]], spec["dtype"])
            for spec, buffer in zip(point["arguments"], buffers, strict=True)
        ]
        self._values = values
        self._pointers = (ctypes.c_void_p * len(values))(*(value.ctypes.data for value in values))

    def launch(self, stream: Any = 0) -> None:
        """Queue one launch."""
        pointers = ctypes.addressof(self._pointers) if self._values else 0
        shape = (*self.grid, *self.block, self.dynamic_shared_bytes)
        call(driver.cuLaunchKernel, self.function, *shape, stream, pointers, 0)

    def resources(self) -> dict[str, int]:
        """What the driver says the kernel uses, and how many of its blocks fit one SM."""
        attribute = driver.CUfunction_attribute
        threads = self.block[0] * self.block[1] * self.block[2]
        return {
            "registers": call(driver.cuFuncGetAttribute, attribute.CU_FUNC_ATTRIBUTE_NUM_REGS, self.function),
            "local_bytes": call(
                driver.cuFuncGetAttribute, attribute.CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, self.function
            ),
            "shared_bytes": call(
                driver.cuFuncGetAttribute, attribute.CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, self.function
            ),
            "blocks_per_sm": call(
                driver.cuOccupancyMaxActiveBlocksPerMultiprocessor,
                self.function,
                threads,
                self.dynamic_shared_bytes,
            ),
        }


class Device:
    """The first GPU of the machine, with the modules and buffers that its points share."""

    def __init__(self, bundle: Path) -> None:
        call(driver.cuInit, 0)
        self.bundle = bundle
        self.handle = call(driver.cuDeviceGet, 0)
        self.context = call(driver.cuDevicePrimaryCtxRetain, self.handle)
        call(driver.cuCtxSetCurrent, self.context)
        self._modules: dict[str, Any] = {}
        self._buffers: OrderedDict[str, Buffer] = OrderedDict()

    def prepare(self, space: str, point: dict[str, Any]) -> Kernel:
        """Load a point's cubin, make its buffers and return the kernel."""
        buffers = [
            self._buffer(spec, position) if spec["kind"] == "buffer" else None
            for position, spec in enumerate(point["arguments"])
        ]
        return Kernel(self.module(point["cubin"]), point, buffers, space)

    def module(self, cubin: str) -> Any:
        """Load a cubin of the bundle once."""
        if cubin not in self._modules:
            self._modules[cubin] = call(driver.cuModuleLoadData, (self.bundle / cubin).read_bytes())
        return self._modules[cubin]

    def description(self) -> dict[str, Any]:
        """Name, SMs, L2 and driver, for the header of a measurement."""
        attribute = driver.CUdevice_attribute
        return {
            "gpu": call(driver.cuDeviceGetName, 128, self.handle).decode().strip("\0 "),
            "sms": call(
                driver.cuDeviceGetAttribute, attribute.CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, self.handle
            ),
            "l2_bytes": call(
                driver.cuDeviceGetAttribute, attribute.CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, self.handle
            ),
            "driver": call(driver.cuDriverGetVersion),
        }

    def _buffer(self, spec: dict[str, Any], position: int) -> Buffer:
        key = f"{position} {sorted(spec.items())}"
        if key in self._buffers:
            self._buffers.move_to_end(key)
        else:
            self._buffers[key] = Buffer(spec)
            while (
                len(self._buffers) > 8 and sum(b.host.nbytes for b in self._buffers.values()) > CACHED_BYTES
            ):
                self._buffers.popitem(last=False)[1].free()
        return self._buffers[key]
