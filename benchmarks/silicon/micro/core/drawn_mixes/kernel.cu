// Straight-line code of drawn registers: what arithmetic of several kinds and many warps takes beyond its issue.
// MIX 0: FFMA; 1: FFMA onto one of its sources; 2: FADD; 3: FADD, FMUL and FFMA; 4: FFMA and FMNMX; 5: FFMA and LOP3;
// and FFMA with one in 12 of 6: shared loads of 32 bits, all lanes one word; 7: shared loads of 128 bits, all lanes one
// place; 8: special functions; 9: shuffles; 10: FMNMX in half and shared loads of 128 bits.
#define STEPS 96

__device__ constexpr unsigned drawn(unsigned step)
{
    unsigned x = step * 0x9e3779b9u + SEED * 0x85ebca6bu;
    x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu;
    return x ^ x >> 16;
}

template <int I>
__device__ __forceinline__ void step(float (&v)[VALUES], unsigned here)
{
    constexpr unsigned r = drawn(I);
    constexpr int a = I % VALUES, b = r % VALUES, c = (r >> 8) % VALUES, d = (r >> 16) % VALUES, kind = (r >> 24) % 3;
    constexpr bool other = I % 12 == 5;
    if constexpr (MIX == 1) {
        v[a] = fmaf(v[b], v[c], v[a]);
    } else if constexpr (MIX == 2) {
        v[a] = v[b] + v[c];
    } else if constexpr (MIX == 3) {
        v[a] = kind == 0 ? v[b] + v[c] : kind == 1 ? v[b] * v[c] : fmaf(v[b], v[c], v[d]);
    } else if constexpr ((MIX == 4 && kind == 0) || (MIX == 10 && !other && I % 2)) {
        v[a] = fminf(v[b], v[c]);
    } else if constexpr (MIX == 5 && kind == 0) {
        v[a] = __int_as_float((__float_as_int(v[b]) & __float_as_int(v[c])) ^ __float_as_int(v[d]));
    } else if constexpr (MIX == 6 && other) {
        asm volatile("ld.shared.f32 %0, [%1];" : "=f"(v[a]) : "r"(here + I * 4));
    } else if constexpr ((MIX == 7 || MIX == 10) && other) {
        asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                     : "=f"(v[a]), "=f"(v[(a + 1) % VALUES]), "=f"(v[(a + 2) % VALUES]), "=f"(v[(a + 3) % VALUES])
                     : "r"(here + I * 16));
    } else if constexpr (MIX == 8 && other) {
        asm volatile("ex2.approx.ftz.f32 %0, %1;" : "=f"(v[a]) : "f"(v[b]));
    } else if constexpr (MIX == 9 && other) {
        asm volatile("shfl.sync.bfly.b32 %0, %1, 1, 31, 0xffffffff;" : "=f"(v[a]) : "f"(v[b]));
    } else {
        v[a] = fmaf(v[b], v[c], v[d]);
    }
    if constexpr (I + 1 < STEPS) step<I + 1>(v, here);
}

extern "C" __global__ void drawn_mixes(const float* __restrict__ data, float* out, int rounds, unsigned turn)
{
    __shared__ float shared[2048];
    float v[VALUES];
    for (int i = threadIdx.x; i < 2048; i += blockDim.x) shared[i] = data[i];
    for (int i = 0; i < VALUES; ++i) v[i] = data[i + threadIdx.x % 32];
    __syncthreads();
    unsigned here = static_cast<unsigned>(__cvta_generic_to_shared(shared));
#pragma unroll 1
    for (int round = 0; round < rounds; ++round) {
        step<0>(v, here);
        here ^= turn;
    }
    float sum = 0;
    for (int i = 0; i < VALUES; ++i) sum += v[i];
    if (sum == 12345.0f) out[0] = sum;
}
