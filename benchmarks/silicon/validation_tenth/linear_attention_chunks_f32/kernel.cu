// 32 dimensions; a chunk's output is q times the state before it plus the lower half of q k^T times v.
constexpr int U = UNROLL, LD = 32 + PAD, LC = CHUNK + PAD;

extern "C" __global__ void __launch_bounds__(THREADS)
linear_attention_chunks_f32(const float* __restrict__ q, const float* __restrict__ k, const float* __restrict__ v,
                            float* __restrict__ out)
{
    __shared__ float qs[CHUNK * LD], ks[CHUNK * LD], vs[CHUNK * LD], state[32 * LD], score[CHUNK * LC];
    const int base = blockIdx.x * 512 * 32;
    for (int i = threadIdx.x; i < 32 * LD; i += THREADS) state[i] = 0.0f;
#pragma unroll 1
    for (int c = 0; c < 512; c += CHUNK) {
        for (int i = threadIdx.x; i < CHUNK * 32; i += THREADS) {
            const int at = i / 32 * LD + i % 32;
            qs[at] = q[base + c * 32 + i];
            ks[at] = k[base + c * 32 + i];
            vs[at] = v[base + c * 32 + i];
        }
        __syncthreads();
        for (int i = threadIdx.x; i < CHUNK * CHUNK; i += THREADS) {
            const int r = i / CHUNK, s = i % CHUNK;
            float sum = 0.0f;
#pragma unroll U
            for (int d = 0; d < 32; ++d) sum += qs[r * LD + d] * ks[s * LD + d];
            score[r * LC + s] = s <= r ? sum : 0.0f;
        }
        __syncthreads();
        for (int i = threadIdx.x; i < CHUNK * 32; i += THREADS) {
            const int r = i / 32, d = i % 32;
            float sum = 0.0f;
#pragma unroll U
            for (int e = 0; e < 32; ++e) sum += qs[r * LD + e] * state[e * LD + d];
#pragma unroll U
            for (int s = 0; s < CHUNK; ++s) sum += score[r * LC + s] * vs[s * LD + d];
            out[base + c * 32 + i] = sum;
        }
        __syncthreads();
        for (int i = threadIdx.x; i < 1024; i += THREADS) {
            const int e = i / 32, d = i % 32;
            float sum = state[e * LD + d];
#pragma unroll U
            for (int s = 0; s < CHUNK; ++s) sum += ks[s * LD + e] * vs[s * LD + d];
            state[e * LD + d] = sum;
        }
        __syncthreads();
    }
}
