// Atomic operations, on all types, scopes and spaces; locks, tickets, queues.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda/atomic>
typedef unsigned long long u64;
#define T threadIdx.x

extern "C" __global__ void on_integers(int* v, unsigned* u) {
    int k = T % 4, x = (int)(T * 2654435761u);
    atomicAdd(v + k, x), atomicSub(v + 4 + k, x), atomicMin(v + 8 + k, x), atomicMax(v + 12 + k, x);
    atomicAnd(u + k, x | 0xff), atomicOr(u + 4 + k, x & 0xff00ff), atomicXor(u + 8 + k, x), atomicMin(u + 12 + k, x), atomicMax(u + 16 + k, x);
    atomicInc(u + 20 + k, 10), atomicDec(u + 24 + k, 6);
}

extern "C" __global__ void on_shared_integers(int* v, unsigned* u) {
    __shared__ int sv[16];
    __shared__ unsigned su[28];
    if (T < 16) sv[T] = v[T];
    if (T < 28) su[T] = u[T];
    __syncthreads();
    int k = T % 4, x = (int)(T * 2654435761u);
    atomicAdd(sv + k, x), atomicSub(sv + 4 + k, x), atomicMin(sv + 8 + k, x), atomicMax(sv + 12 + k, x);
    atomicAnd(su + k, x | 0xff), atomicOr(su + 4 + k, x & 0xff00ff), atomicXor(su + 8 + k, x), atomicMin(su + 12 + k, x), atomicMax(su + 16 + k, x);
    atomicInc(su + 20 + k, 10), atomicDec(su + 24 + k, 6);
    __syncthreads();
    if (T < 16) v[T] = sv[T];
    if (T < 28) u[T] = su[T];
}

extern "C" __global__ void on_long_integers(u64* u, long long* v) {
    __shared__ u64 s[2];
    if (T < 2) s[T] = T;
    __syncthreads();
    u64 x = (T + 1) * 0x9E3779B97F4A7C15ull;
    atomicAdd(u, x), atomicMin(u + 1, x), atomicMax(u + 2, x), atomicAnd(u + 3, x | 0xffff), atomicOr(u + 4, x & 0xf0f0), atomicXor(u + 5, x);
    atomicMin(v, (long long)x), atomicMax(v + 1, (long long)x);
    atomicAdd(s, x), atomicXor(s + 1, x);
    __syncthreads();
    if (T < 2) u[6 + T] = s[T];
}

extern "C" __global__ void on_floats(float* f, double* d) {
    __shared__ float s;
    __shared__ double e;
    if (T == 0) s = 0, e = 0;
    __syncthreads();
    atomicAdd(f, T * 0.5f), atomicAdd(d, T * 0.25), atomicAdd(&s, (float)T), atomicAdd(&e, T * 2.0);
    __syncthreads();
    if (T == 0) f[1] = s, d[1] = e;
}

extern "C" __global__ void on_halves(__half2* h, __nv_bfloat162* b, __half* one) {
    atomicAdd(h, __floats2half2_rn(1, T % 4)), atomicAdd(b, __floats2bfloat162_rn(2, T % 2)), atomicAdd(one, __float2half(0.5f));
}

extern "C" __global__ void maximum_by_swapping(const float* x, float* out) {
    int* at = (int*)out;
    int old = *at;
    while (x[T] > __int_as_float(old)) {
        int seen = atomicCAS(at, old, __float_as_int(x[T]));
        if (seen == old) break;
        old = seen;
    }
}

extern "C" __global__ void sum_by_swapping_64(const double* x, double* out) {
    u64 *at = (u64*)out, old = *at, seen;
    do {
        seen = old;
        old = atomicCAS(at, seen, __double_as_longlong(x[T] + __longlong_as_double(seen)));
    } while (old != seen);
}

extern "C" __global__ void halves_by_swapping(unsigned short* v) {
    unsigned short* at = v + T % 6;
    unsigned short old = *at, seen;
    do {
        seen = old;
        old = atomicCAS(at, seen, (unsigned short)(seen + T));
    } while (old != seen);
}

extern "C" __global__ void exchange_round(int* v, int* out) {
    int mine = atomicExch(v, (int)T + 1);
    atomicAdd(out, mine);
}

extern "C" __global__ void tickets(int* next, int* order) { order[atomicAdd(next, 1)] = T; }

extern "C" __global__ void spin_lock_of_blocks(int* lock, int* sum) {
    if (T == 0) {
        while (atomicCAS(lock, 0, 1) != 0) __nanosleep(20);
        __threadfence();
        *(volatile int*)sum += blockIdx.x + 1;
        __threadfence();
        atomicExch(lock, 0);
    }
}

extern "C" __global__ void work_queue(int* next, int* done, int n) {
    __shared__ int item;
    for (;;) {
        __syncthreads();
        if (T == 0) item = atomicAdd(next, 1);
        __syncthreads();
        if (item >= n) return;
        if (T < 8) atomicAdd(&done[item], item + (int)T);
    }
}

extern "C" __global__ void last_block_sums(const int* x, int* parts, unsigned* count, int* out) {
    __shared__ int s;
    __shared__ bool last;
    if (T == 0) s = 0;
    __syncthreads();
    atomicAdd(&s, x[blockIdx.x * blockDim.x + T]);
    __syncthreads();
    if (T == 0) {
        parts[blockIdx.x] = s;
        __threadfence();
        last = atomicInc(count, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && T == 0) {
        int sum = 0;
        for (int b = 0; b < gridDim.x; ++b) sum += ((volatile int*)parts)[b];
        *out = sum;
    }
}

extern "C" __global__ void scopes(int* v) {
    atomicAdd_block(v, 1), atomicAdd_system(v + 1, 2), atomicMax_block(v + 2, (int)T), atomicOr_system(v + 3, 1 << T % 32);
    cuda::atomic_ref<int, cuda::thread_scope_block> a(v[4]);
    a.fetch_add(3, cuda::memory_order_relaxed);
    cuda::atomic_ref<int, cuda::thread_scope_device> b(v[5]);
    b.fetch_max((int)T * 2, cuda::memory_order_acq_rel);
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> c(((unsigned*)v)[6]);
    c.fetch_xor(T * T, cuda::memory_order_seq_cst);
}

extern "C" __global__ void release_and_acquire(int* data, int* out) {
    cuda::atomic_ref<int, cuda::thread_scope_device> flag(data[0]);
    if (blockIdx.x == 0) {
        data[1] = 42;
        flag.store(1, cuda::memory_order_release);
    } else {
        while (flag.load(cuda::memory_order_acquire) == 0) {}
        *out = data[1];
    }
}

extern "C" __global__ void reductions_in_ptx(int* v, float* f) {
    asm volatile("red.global.add.s32 [%0], %1;" ::"l"(v), "r"(T) : "memory");
    asm volatile("red.relaxed.gpu.global.max.u32 [%0], %1;" ::"l"(v + 1), "r"(T) : "memory");
    asm volatile("red.global.add.f32 [%0], %1;" ::"l"(f), "f"((float)T) : "memory");
    asm volatile("red.release.gpu.global.inc.u32 [%0], %1;" ::"l"(v + 2), "r"(100) : "memory");
}

#if __CUDA_ARCH__ >= 900
extern "C" __global__ void on_vectors(float* f) {
    atomicAdd((float4*)f + T % 2, make_float4(1, 2, T, 4));
    atomicAdd((float2*)(f + 8), make_float2(T, 1));
    asm volatile("red.global.add.v2.f32 [%0], {%1, %1};" ::"l"(f + 10), "f"(2.f) : "memory");
    asm volatile("red.global.add.noftz.v2.bf16x2 [%0], {%1, %1};" ::"l"(f + 12), "r"(0x3f803f80) : "memory");
}

extern "C" __global__ void swap_of_128_bits(ulonglong2* v, u64* out) {
    u64 low = v->x, high = v->y, seen_low, seen_high;
    asm volatile("{.reg .b128 c, n, d; mov.b128 c, {%2, %3}; mov.b128 n, {%4, %5}; atom.global.cas.b128 d, [%6], c, n; mov.b128 {%0, %1}, d;}"
                 : "=l"(seen_low), "=l"(seen_high) : "l"(low), "l"(high), "l"(low + 1), "l"(high + 2), "l"(v) : "memory");
    out[0] = seen_low, out[1] = seen_high;
}
#endif
