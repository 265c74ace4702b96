// Rotary embedding of FP16 queries and keys, halves of a head turned together, and the new keys and values written to
// a paged cache at the slots of their tokens.
#include <cuda_fp16.h>

constexpr int HEADS = 32, KV_HEADS = 8, HALF = HEAD / 2, Q_WORK = HEADS * HALF / VEC, K_WORK = KV_HEADS * HALF / VEC,
              V_WORK = KV_HEADS * HEAD / VEC;

struct alignas(2 * VEC) Halves { half h[VEC]; };

__device__ __forceinline__ void rotate(Halves& a, Halves& b, const float2* turn)
{
#pragma unroll
    for (int i = 0; i < VEC; ++i) {
        const float2 t = turn[i];
        const float x = __half2float(a.h[i]), y = __half2float(b.h[i]);
        a.h[i] = __float2half(x * t.x - y * t.y);
        b.h[i] = __float2half(y * t.x + x * t.y);
    }
}

extern "C" __global__ void rope_kv_append(const half* __restrict__ qkv, const float2* __restrict__ turns,
                                          const int* __restrict__ positions, half* __restrict__ q,
                                          half* __restrict__ key_cache, half* __restrict__ value_cache, int slots)
{
    const int token = blockIdx.x, position = positions[token];
    const int slot = (unsigned)token * 2654435761u % (unsigned)slots;
    const half* row = qkv + (size_t)token * (HEADS + 2 * KV_HEADS) * HEAD;
    const float2* turn = turns + (size_t)position * HALF;
    for (int i = threadIdx.x; i < Q_WORK + K_WORK + V_WORK; i += THREADS) {
        if (i < Q_WORK + K_WORK) {
            const int j = i * VEC, head = j / HALF, d = j % HALF;
            Halves a = *reinterpret_cast<const Halves*>(row + head * HEAD + d);
            Halves b = *reinterpret_cast<const Halves*>(row + head * HEAD + d + HALF);
            rotate(a, b, turn + d);
            half* to = i < Q_WORK ? q + ((size_t)token * HEADS + head) * HEAD
                                  : key_cache + ((size_t)slot * KV_HEADS + head - HEADS) * HEAD;
            *reinterpret_cast<Halves*>(to + d) = a;
            *reinterpret_cast<Halves*>(to + d + HALF) = b;
        } else {
            const int j = (i - Q_WORK - K_WORK) * VEC;
            *reinterpret_cast<Halves*>(value_cache + (size_t)slot * KV_HEADS * HEAD + j) =
                *reinterpret_cast<const Halves*>(row + (HEADS + KV_HEADS) * HEAD + j);
        }
    }
}
