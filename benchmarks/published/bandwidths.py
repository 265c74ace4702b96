"""Bandwidths: working sets read again and again, streams of DRAM, strides, atomics, small launches."""

from functools import partial

import numpy as np

from benchmarks.published.runs import Argument, Defines, Launch, Took, kernel
from simcore import Buffer, load_gpu

MIB = 2**20
THREADS = 1024


def read_chunks(gpu: str, mib: float, doubles: int = 64) -> Took:
    """Blocks of 1,024 threads read chunks of `doubles` doubles a thread out of `mib` MiB in turn; work in bytes."""
    profile = load_gpu(gpu)
    blocks = profile.sms * (profile.max_warps_per_sm * 32 // THREADS)
    chunk_bytes = doubles * THREADS * 8
    chunks = max(1, round(mib * MIB / chunk_bytes))
    defines: Defines = (("THREADS", THREADS), ("WORDS", doubles), ("UNROLL", 16), ("LOAD", "__ldcg"))
    few, many = 2, 6
    cold = chunks * chunk_bytes > profile.l2_bytes
    launch = Launch(gpu, kernel("read_set", gpu, defines), blocks, THREADS, cold)
    took = repeated(launch, chunks * chunk_bytes, chunks, few, many)
    return Took(*took, chunk_bytes * blocks * (many - few), profile.sms)


def repeated(launch: Launch, size: int, chunks: int, few: int, many: int) -> tuple[float, float]:
    """Cycles and microseconds of the further passes of `read_set` over a buffer of `size` bytes."""
    data = Buffer("float32", size // 4)
    sink = np.zeros(THREADS, np.float32)
    return launch.slope(lambda passes: [data, sink, np.int32(chunks), np.int32(passes)], few, many)


def read_same(gpu: str, kib: int, word: str = "float", threads: int = THREADS) -> Took:
    """A block an SM, all of which read the same `kib` KiB again and again; work in bytes.

    Args:
        word: float or float4, what a thread reads at a time.
    """
    sms = load_gpu(gpu).sms
    width = {"float": 4, "float4": 16}[word]
    words = max(1, kib * 1024 // (width * threads))
    kind = "SINGLE" if word == "float" else "VECTOR"
    pace: Defines = (("THREADS", threads), ("WORDS", words), ("UNROLL", min(words, 16)))
    defines: Defines = ((kind, 1), ("SAME", 1), ("LOAD", "*"), *pace)
    few = max(1, 4096 // kib)
    launch = Launch(gpu, kernel("read_set", gpu, defines), sms, threads)
    took = repeated(launch, words * threads * width, 0, few, 3 * few)
    return Took(*took, words * threads * width * sms * 2 * few, sms)


ARRAYS = {"INIT": 1, "READ": 1, "SCALE": 2, "COPY": 2, "TRIAD": 3}
"""That a stream reads and writes."""


def stream(gpu: str, kind: str, mib: int = 512) -> Took:
    """One pass over arrays of `mib` MiB that no cache holds, a double a thread, the launch included; work in bytes."""
    profile = load_gpu(gpu)
    threads = 1024 if profile.max_warps_per_sm == 64 else 768
    blocks = mib * MIB // 8 // threads
    array = Buffer("float64", blocks * threads)
    launch = Launch(gpu, kernel("stream", gpu, ((kind, 1),)), blocks, threads, cold=True)
    return Took(*launch.time([array, array, array]), 8 * blocks * threads * ARRAYS[kind], profile.sms)


def stride(gpu: str, stride: int, word: str = "float", shared: bool = False) -> Took:
    """A block of 1,024 threads on one SM whose lanes read words that lie some words apart; work in warp loads."""
    few, many = 64, 192
    kind = {"float": np.float32, "double": np.float64}[word]
    kinds: Defines = (*((("SHARED", 1),) if shared else ()), *((("DOUBLE", 1),) if word == "double" else ()))
    defines: Defines = (("STRIDE", stride), *kinds)
    arguments = partial(strided, np.zeros(8192, kind), np.zeros(THREADS, kind))
    took = Launch(gpu, kernel("stride", gpu, defines), 1, THREADS).slope(arguments, few, many)
    return Took(*took, (many - few) * THREADS / 32)


def strided(data: Argument, sink: Argument, steps: int) -> list[Argument]:
    """Arguments of `stride`, which reads the same words in every round."""
    return [data, sink, np.int32(steps), np.int32(0)]


def shared_read(gpu: str) -> Took:
    """As `stride`, of neighbouring floats in shared memory of all SMs; work in bytes."""
    took = stride(gpu, 1, shared=True)
    return Took(took.cycles, took.time_us, took.work * 128)


def atomics(gpu: str, words: int, threads: int = 256) -> Took:
    """Threads of all SMs add to so many words of global memory, a power of two; work in additions."""
    profile = load_gpu(gpu)
    blocks = profile.sms * (profile.max_warps_per_sm * 32 // threads)
    few, many = 16, 48
    data = Buffer("uint32", words)
    defines: Defines = (("SAME", 1),) if words == 1 else ()
    launch = Launch(gpu, kernel("atomics", gpu, defines), blocks, threads)
    took = launch.slope(lambda steps: [data, np.uint32(words - 1), np.int32(steps)], few, many)
    return Took(*took, blocks * threads * (many - few), profile.sms)


def shared_atomics(gpu: str) -> Took:
    """A block of 1,024 threads on one SM, each of which adds to its own word of shared memory; work in additions."""
    few, many = 64, 192
    data = np.zeros(THREADS, np.uint32)
    launch = Launch(gpu, kernel("atomics", gpu, (("SHARED", 1),)), 1, THREADS)
    took = launch.slope(lambda steps: [data, np.uint32(0), np.int32(steps)], few, many)
    return Took(*took, THREADS * (many - few))


def small_launch(gpu: str, doubles: int = 4096, block: int = 256) -> Took:
    """A launch that scales one double a thread, or of one block that has none to scale; work in launches."""
    data = np.zeros(max(1, doubles), np.float64)
    launch = Launch(gpu, kernel("launch", gpu), max(1, doubles // block), block)
    return Took(*launch.time([data, data, np.int32(doubles)]), 1)
