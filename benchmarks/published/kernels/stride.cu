// Loads of L1 or shared memory by stride, as gpu-strides of RRZE gpu-benches times them: lane l of a warp reads word
// l * STRIDE, at 32 places in turn. `apart` is 0, which the compiler does not know.
#ifdef DOUBLE
typedef double Word;
#define READ(word, at) asm volatile("ld.global.f64 %0, [%1];" : "=d"(word) : "l"(at))
#elif defined(SHARED)
typedef float Word;
#define READ(word, at) word = *(const volatile Word*)(at)
#else
typedef float Word;
#define READ(word, at) asm volatile("ld.global.f32 %0, [%1];" : "=f"(word) : "l"(at))
#endif
extern "C" __global__ void stride(const Word* __restrict__ data, Word* __restrict__ sink, int steps, int apart) {
#ifdef SHARED
    __shared__ Word shared[8192];
    for (int i = threadIdx.x; i < 8192; i += blockDim.x) shared[i] = data[i];
    __syncthreads();
    const Word* at = shared + threadIdx.x % 32 * STRIDE;
#else
    const Word* at = data + threadIdx.x % 32 * STRIDE;
#endif
    Word sum[4] = {};
#pragma unroll 1
    for (int s = 0; s < steps; s += 32) {
#pragma unroll
        for (int k = 0; k < 32; ++k) {
            Word word;
            READ(word, at + k * 32);
            sum[k % 4] += word;
        }
        at += apart;
    }
    sink[blockIdx.x * blockDim.x + threadIdx.x] = sum[0] + sum[1] + sum[2] + sum[3];
}
