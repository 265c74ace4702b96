// Memory: widths, alignments, constants, caches, asynchronous copies, what is not modelled.
#include <cuda_pipeline_primitives.h>
#define T threadIdx.x
typedef unsigned long long u64;

extern "C" __global__ void transpose_tile(const float* x, float* out) {
    __shared__ float tile[32][33];
    for (int k = T / 32; k < 32; k += blockDim.x / 32) tile[k][T % 32] = x[(blockIdx.x * 32 + k) * 32 + T % 32];
    __syncthreads();
    for (int k = T / 32; k < 32; k += blockDim.x / 32) out[blockIdx.x * 1024 + k * 32 + T % 32] = tile[T % 32][k];
}

extern "C" __global__ void vector_widths(const float* x, float* out) {
    float4 a = ((const float4*)x)[T];
    float2 b = ((const float2*)x)[T];
    double d = ((const double*)x)[T];
    ((float4*)out)[T] = make_float4(a.w, a.z, a.y, a.x);
    ((float2*)(out + 512))[T] = make_float2(b.y, b.x);
    ((double*)(out + 768))[T] = d;
}

extern "C" __global__ void narrow_types(const signed char* c, const unsigned short* s, int* out) {
    out[T] = c[T] + s[T] * 256;
    ((unsigned char*)(out + 128))[T] = (unsigned char)(c[T] * 3);
    ((short*)(out + 160))[T] = (short)(s[T] ^ 0x1234);
    uchar4 v = ((const uchar4*)c)[T % 32];
    out[256 + T] = v.x + v.y * 2 + v.z * 3 + v.w * 4;
}

extern "C" __global__ void unaligned_words(const unsigned char* x, unsigned* out) {
    unsigned v;
    memcpy(&v, x + T * 5 + 1, 4);
    out[T] = v;
}

__constant__ int table[64] = {1, 2, 4, 8, 16, 32, 64, 128, 3, 5, 7, 11, 13, 17, 19, 23};
__device__ int counter = 5;
__device__ const float weights[4] = {0.5f, 0.25f, 2.0f, 4.0f};
extern "C" __global__ void constants_and_globals(const int* x, int* out) {
    out[T] = table[x[T] & 15] + table[T / 32] + (int)(weights[x[T] & 3] * 8);
    if (T == 0) out[128] = atomicAdd(&counter, 7) + counter;
}

extern "C" __global__ void cache_hints(const int* x, int* out) {
    int v = __ldg(x + T) + __ldcg(x + T) * 2 + __ldcs(x + T) * 3 + __ldlu(x + T) * 4;
    asm volatile("prefetch.global.L2 [%0];" ::"l"(x + T));
    int w;
    asm volatile("ld.global.nc.L1::no_allocate.L2::128B.b32 %0, [%1];" : "=r"(w) : "l"(x + (T ^ 1)));
    __stcg(out + T, v), __stcs(out + 128 + T, w), __stwt(out + 256 + T, v - w);
}

extern "C" __global__ void ordered_accesses(int* x, int* out) {
    int v;
    asm volatile("ld.acquire.gpu.global.b32 %0, [%1];" : "=r"(v) : "l"(x + T));
    asm volatile("st.release.gpu.global.b32 [%0], %1;" ::"l"(out + T), "r"(v + 1) : "memory");
    asm volatile("ld.relaxed.sys.global.b32 %0, [%1];" : "=r"(v) : "l"(x + T));
    asm volatile("st.volatile.global.b32 [%0], %1;" ::"l"(out + 128 + T), "r"(v) : "memory");
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
    __threadfence_system();
}

extern "C" __global__ void dynamic_shared(const int* x, int* out, int n) {
    extern __shared__ int s[];
    int* a = s;
    short* b = (short*)(s + n);
    for (int i = T; i < n; i += blockDim.x) a[i] = x[i], b[i] = (short)(x[i] * 3);
    __syncthreads();
    for (int i = T; i < n; i += blockDim.x) out[i] = a[n - 1 - i] + b[i];
}

extern "C" __global__ void gather_and_scatter(const int* at, const float* x, float* out) { out[at[T]] = x[at[T] ^ 3] + 1; }

struct Particle { float x, y; int id; char kind; };
extern "C" __global__ void structures(const Particle* in, Particle* out) {
    Particle p = in[T];
    p.x += p.y, p.id = p.id * 2 + p.kind, p.kind ^= 5;
    out[blockDim.x - 1 - T] = p;
}

extern "C" __global__ void any_space(const int* x, int* out) {
    __shared__ int s[128];
    int local[4] = {(int)T, 2, 3, 4};
    s[T] = x[T] * 2;
    __syncthreads();
    const int* p = T % 3 == 0 ? &s[127 - T] : T % 3 == 1 ? &local[x[T] & 3] : &x[T];
    out[T] = *p + (__isShared(p) ? 1000 : 0) + (__isGlobal(p) ? 3000 : 0);
}

extern "C" __global__ void two_dimensions(const int* x, int* out, int width, int height) {
    for (int row = blockIdx.y; row < height; row += gridDim.y)
        for (int column = blockIdx.x * blockDim.x + T; column < width; column += gridDim.x * blockDim.x)
            out[column * height + row] = x[row * width + column];
}

extern "C" __global__ void pipelined_copies(const float4* x, float* out, int tiles) {
    __shared__ float4 stage[3][32];
    for (int t = 0; t < 2; ++t) {
        __pipeline_memcpy_async(&stage[t][T], x + t * 32 + T, 16);
        __pipeline_commit();
    }
    float sum = 0;
    for (int t = 0; t < tiles; ++t) {
        if (t + 2 < tiles) __pipeline_memcpy_async(&stage[(t + 2) % 3][T], x + (t + 2) * 32 + T, 16);
        __pipeline_commit();
        __pipeline_wait_prior(2);
        __syncwarp();
        float4 v = stage[t % 3][31 - T];
        sum += v.x + 2 * v.y + 3 * v.z + 4 * v.w;
        __syncwarp();
    }
    out[T] = sum;
}

extern "C" __global__ void copies_of_8_with_zeros(const int* x, int* out, int n) {
    __shared__ alignas(8) int s[64];
    s[T] = s[T + 32] = -1;
    __syncwarp();
    int valid = min(max(n - 2 * (int)T, 0), 2);
    __pipeline_memcpy_async(&s[2 * T], x + 2 * T, 8, 8 - 4 * valid);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncwarp();
    out[T] = s[T], out[T + 32] = s[T + 32];
}

extern "C" __global__ void texture_read(u64 texture, float* out) {
    float v, w, y, z;
    asm volatile("tex.2d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6}];" : "=f"(v), "=f"(w), "=f"(y), "=f"(z) : "l"(texture), "f"(1.f), "f"(2.f));
    out[T] = v + w + y + z;
}

#if __CUDA_ARCH__ >= 1000
extern "C" __global__ void loads_of_256_bits(const float* x, float* out) {
    float v[8];
    asm volatile("ld.global.v8.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8];"
                 : "=f"(v[0]), "=f"(v[1]), "=f"(v[2]), "=f"(v[3]), "=f"(v[4]), "=f"(v[5]), "=f"(v[6]), "=f"(v[7]) : "l"(x + T * 8));
    asm volatile("st.global.v8.f32 [%8], {%0, %1, %2, %3, %4, %5, %6, %7};" ::"f"(v[7]), "f"(v[6]), "f"(v[5]), "f"(v[4]), "f"(v[3]), "f"(v[2]),
                 "f"(v[1]), "f"(v[0]), "l"(out + T * 8) : "memory");
}
#endif
