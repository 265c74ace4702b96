// How fast loads are answered of which several lanes read one address, beside arithmetic: MIX instructions for each
// load, the first of which use what the load before brought. READS: registers that each reads, by FADD or FFMA; 0: PRMT.
// WIDTH bytes a lane. Neighbours: SAME lanes in a row read one address; the addresses repeat after APART of them.
// UNIFORM: the address comes from a uniform register. FROM_L1: loads of global memory that hit L1.
#define STEPS 8
#define WORDS (WIDTH / 4)
#if FROM_L1
typedef unsigned long long Address;
#define FIRST reinterpret_cast<Address>(data)
#define LOAD "ld.global.nc"
#define AT "l"
#else
typedef unsigned Address;
#define FIRST static_cast<Address>(__cvta_generic_to_shared(shared))
#define LOAD "ld.shared"
#define AT "r"
#endif

extern "C" __global__ void broadcast_reads(const float* __restrict__ data, float* out, int rounds, unsigned turn) {
    __shared__ float shared[8 * 1024];
    float sum[MIX], got[4] = {}, addend[4], factor[4];
    for (int i = 0; i < 4; ++i) addend[i] = data[i + threadIdx.x], factor[i] = data[i + 4 + threadIdx.x];
    for (int i = 0; i < MIX; ++i) sum[i] = data[i];
    for (int i = threadIdx.x; i < 8 * 1024; i += blockDim.x) shared[i] = data[i];
    __syncthreads();
    Address here = FIRST;
    if (!UNIFORM) here += threadIdx.x % 32 / SAME % APART * WIDTH + threadIdx.x % 32 * turn;
    float sink = 0;
#pragma unroll 1
    for (int round = 0; round < rounds; ++round) {
#pragma unroll
        for (int s = 0; s < STEPS; ++s) {
            float a[4] = {};
#if WIDTH == 4
            asm volatile(LOAD ".f32 %0, [%1];" : "=f"(a[0]) : AT(here + s * 1024));
#elif WIDTH == 8
            asm volatile(LOAD ".v2.f32 {%0, %1}, [%2];" : "=f"(a[0]), "=f"(a[1]) : AT(here + s * 1024));
#else
            asm volatile(LOAD ".v4.f32 {%0, %1, %2, %3}, [%4];"
                         : "=f"(a[0]), "=f"(a[1]), "=f"(a[2]), "=f"(a[3]) : AT(here + s * 1024));
#endif
#pragma unroll
            for (int i = 0; i < MIX; ++i) {
                float other = i < WORDS ? got[i] : addend[i % 4];
#if READS == 1
                sum[i] += i < WORDS ? got[i] : 1.5f;
#elif READS == 2
                sum[i] += other;
#elif READS == 3
                sum[i] = fmaf(sum[i], factor[i % 4], other);
#else
                sum[i] = __uint_as_float(__byte_perm(__float_as_uint(sum[i]), __float_as_uint(other), 0x2541));
#endif
            }
#pragma unroll
            for (int i = 0; i < 4; ++i) got[i] = a[i];
        }
        here ^= turn;
    }
    for (int i = 0; i < MIX; ++i) sink += sum[i];
    if (sink == 12345.0f) out[0] = sink;
}
