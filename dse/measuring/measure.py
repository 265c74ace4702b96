"""Measure the variants of this folder on the GPU of this machine: python3 measure.py

It needs Python 3.8 or later, numpy and NVIDIA's driver, nothing else. Each variant of plan.json is launched many times
back to back, behind a kernel that keeps the stream busy while they are queued; its time is the median of seven such
batches. times.json is in the format of Kernel Tuner's cache: `simcore validate times.json --space FOLDER` reads it.
"""

import ctypes
import json
import statistics
from pathlib import Path
from typing import Any, Dict, List, Optional

import numpy as np

FOLDER = Path(__file__).parent
BATCHES, BATCH_US, LAUNCHES, QUEUE_US = 7, 2000.0, (20, 500), 15.0

try:
    cuda = ctypes.CDLL("libcuda.so.1")
except OSError as error:
    raise SystemExit(f"NVIDIA's driver is not installed here: {error}") from None


def call(name: str, *arguments: object) -> None:
    """Call a function of the driver, or raise an error with the driver's words."""
    status = getattr(cuda, name)(*arguments)
    if status:
        text = ctypes.c_char_p()
        cuda.cuGetErrorString(status, ctypes.byref(text))
        raise RuntimeError(f"{name}: {(text.value or b'error').decode()} ({status})")


def filled(buffer: Dict[str, Any]) -> bytes:
    """The contents of a buffer, as the simulator fills it: from the fill's name and a seed, by numpy's PCG64."""
    kind, elements, fill = np.dtype(buffer["dtype"]), buffer["elements"], buffer["fill"]
    random = np.random.Generator(np.random.PCG64(buffer["seed"]))
    if fill == "uniform":
        drawn: Any = random.random(elements, np.float64 if kind == np.float64 else np.float32)
    elif fill == "randint":
        drawn = random.integers(0, max(buffer["high"], 1), elements)
    else:
        drawn = np.full(elements, {"zeros": 0, "ones": 1}[fill])
    return bytes(np.asarray(drawn).astype(kind).tobytes())


class Gpu:
    """The first GPU of this machine, with the buffers that the variants share."""

    def __init__(self) -> None:
        device, context = ctypes.c_int(), ctypes.c_void_p()
        call("cuInit", 0)
        call("cuDeviceGet", ctypes.byref(device), 0)
        call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        call("cuCtxSetCurrent", context)
        name = ctypes.create_string_buffer(128)
        call("cuDeviceGetName", name, 128, device)
        self.name = name.value.decode()
        self.events = [ctypes.c_void_p(), ctypes.c_void_p()]
        for event in self.events:
            call("cuEventCreate", ctypes.byref(event), 0)
        self._buffers: Dict[str, ctypes.c_uint64] = {}
        self._pacer = self.function("pacer.cubin", "pacer")

    def function(self, cubin: str, name: str, variables: Optional[Dict[str, str]] = None) -> ctypes.c_void_p:
        """A kernel of a cubin, with the contents of its module's variables."""
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        call("cuModuleLoad", ctypes.byref(module), str(FOLDER / cubin).encode())
        call("cuModuleGetFunction", ctypes.byref(function), module, name.encode())
        for variable, file in (variables or {}).items():
            address, size, content = ctypes.c_uint64(), ctypes.c_size_t(), (FOLDER / file).read_bytes()
            call("cuModuleGetGlobal_v2", ctypes.byref(address), ctypes.byref(size), module, variable.encode())
            call("cuMemcpyHtoD_v2", address, content, ctypes.c_size_t(len(content)))
        return function

    def argument(self, argument: Dict[str, Any]) -> Any:
        """A value, or the address of a buffer with its first contents."""
        if "value" in argument:
            value = bytearray.fromhex(argument["value"])
            for offset, buffer in argument.get("pointers", {}).items():
                value[int(offset) : int(offset) + 8] = bytes(self.argument(buffer))
            return ctypes.create_string_buffer(bytes(value), len(value))
        key = json.dumps(argument, sort_keys=True)
        content = (FOLDER / argument["file"]).read_bytes() if "file" in argument else filled(argument)
        if key not in self._buffers:
            self._buffers[key] = ctypes.c_uint64()
            call("cuMemAlloc_v2", ctypes.byref(self._buffers[key]), ctypes.c_size_t(max(len(content), 16)))
        call("cuMemcpyHtoD_v2", self._buffers[key], content, ctypes.c_size_t(len(content)))
        return self._buffers[key]

    def time_us(self, variant: Dict[str, Any]) -> List[float]:
        """Microseconds of a launch, of each batch."""
        function = self.function(variant["cubin"], variant["function"], variant["variables"])
        values = [self.argument(argument) for argument in variant["arguments"]]
        pointers = (ctypes.c_void_p * max(len(values), 1))(*map(ctypes.addressof, values))
        if variant["shared"] > 48 * 1024:
            call("cuFuncSetAttribute", function, 8, variant["shared"])
        shape = (*variant["grid"], *variant["block"], variant["shared"])

        def batch(launches: int) -> float:
            wait = ctypes.c_int64(int(launches * QUEUE_US * 1000))
            one = (ctypes.c_void_p * 1)(ctypes.addressof(wait))
            call("cuLaunchKernel", self._pacer, 1, 1, 1, 1, 1, 1, 0, None, one, None)
            call("cuEventRecord", self.events[0], None)
            for _ in range(launches):
                call("cuLaunchKernel", function, *shape, None, pointers, None)
            call("cuEventRecord", self.events[1], None)
            call("cuEventSynchronize", self.events[1])
            milliseconds = ctypes.c_float()
            call("cuEventElapsedTime", ctypes.byref(milliseconds), *self.events)
            return milliseconds.value * 1000 / launches

        batch(LAUNCHES[0])
        launches = min(max(int(BATCH_US / batch(LAUNCHES[0])), LAUNCHES[0]), LAUNCHES[1])
        return [batch(launches) for _ in range(BATCHES)]


def main() -> None:
    """Measure every variant, print them best first, and write times.json."""
    plan = json.loads((FOLDER / "plan.json").read_text())
    gpu, cache, rows = Gpu(), {}, []
    for variant in plan["variants"]:
        times = gpu.time_us(variant)
        middle, parameters = statistics.median(times), variant["parameters"]
        key = ",".join(map(str, parameters.values()))
        cache[key] = {**parameters, "time": middle / 1000, "times": [time / 1000 for time in times]}
        rows.append(
            (
                middle,
                variant["predicted_us"],
                " ".join(
                    f"{name}={'none' if value is None else value}" for name, value in parameters.items()
                ),
            )
        )
    print(f"{plan['kernel']} on {gpu.name}, predicted for {plan['gpu']}\n  measured   predicted")
    for measured, predicted, text in sorted(rows):
        print(f"{measured:7.2f} us  {predicted:7.2f} us  {text}")
    names = list(plan["variants"][0]["parameters"])
    head = {"device_name": gpu.name, "kernel_name": plan["kernel"], "tune_params_keys": names}
    head["tune_params"] = {name: sorted({str(v[name]) for v in cache.values()}) for name in names}
    (FOLDER / "times.json").write_text(json.dumps({**head, "objective": "time", "cache": cache}, indent=1))


if __name__ == "__main__":
    main()
