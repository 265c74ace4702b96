"""CUDA C++ around forms."""

from collections.abc import Iterable

from benchmarks.simulator.instruction_forms import accesses, exchanged, floats, integers
from benchmarks.simulator.instruction_forms.data import BLOCKS, THREADS
from benchmarks.simulator.instruction_forms.forms import C_TYPES, Form

FORMS: tuple[Form, ...] = tuple(
    form
    for family in (
        floats.arithmetic,
        floats.approximations,
        floats.halves,
        floats.minima,
        floats.conversions,
        integers.arithmetic,
        integers.carries,
        integers.bits,
        integers.comparisons,
        integers.of_bytes,
        exchanged.of_warps,
        exchanged.atomics,
        exchanged.products,
        *accesses.FAMILIES,
    )
    for form in family()
)
"""All; kernels are named by their place."""

_HEAD = f"""typedef unsigned long long u64;
#define T (blockIdx.x * {THREADS} + threadIdx.x)
template <class A> __device__ __forceinline__ A of(u64 bits) {{ A a; memcpy(&a, &bits, sizeof(A)); return a; }}
template <class A> __device__ __forceinline__ u64 to(A a) {{ u64 bits = 0; memcpy(&bits, &a, sizeof(A)); return bits; }}
"""
_THREADS = THREADS * BLOCKS
_CONSTRAINTS = {"x": "r", "y": "r", "b": "h"}
_ADDRESS = {
    "": "u64 m = 0;",
    "global": "out[T] = in[T]; u64* m = out + T;",
    "shared": (
        f"__shared__ u64 cells[{THREADS}]; cells[threadIdx.x] = in[T]; "
        "unsigned m = (unsigned)__cvta_generic_to_shared(cells + threadIdx.x);"
    ),
}
_LEFT = {
    "": "out[T] = to(z), out[{threads} + T] = w;",
    "global": "out[{threads} + T] = to(z);",
    "shared": "out[T] = cells[threadIdx.x], out[{threads} + T] = to(z);",
}
_OPERANDS = "abce"


def cuda(places: Iterable[int]) -> str:
    """One source that holds some forms."""
    return _HEAD + "".join(_kernel(place, FORMS[place]) for place in places)


def _kernel(place: int, form: Form) -> str:
    reads, names = "", {"$z": "%0", "$w": "%1", "$m": "%2"}
    inputs = [f'"{"r" if form.cell == "shared" else "l"}"(m)']
    for at, kind in enumerate(form.operands):
        name = _OPERANDS[at]
        reads += f"{C_TYPES[kind]} {name} = of<{C_TYPES[kind]}>(in[{at * _THREADS} + T]); "
        names[f"${name}"] = f"%{len(inputs) + 2}"
        inputs.append(f'"{_CONSTRAINTS.get(kind, kind)}"({name})')
    text = form.text
    for name, number in names.items():
        text = text.replace(name, number)
    z = _CONSTRAINTS.get(form.result, form.result)
    return f"""extern "C" __global__ void k{place}(const u64* in, u64* out) {{
    {reads}{_ADDRESS[form.cell]} {C_TYPES[form.result]} z; unsigned w = 0;
    asm volatile("{text}" : "={z}"(z), "+r"(w) : {", ".join(inputs)} : "memory");
    {_LEFT[form.cell].format(threads=_THREADS)}
}}
"""
