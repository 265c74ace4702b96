// Each warp normalises a run of rows; scales and shifts come from registers (2), shared memory (1) or memory (0).
constexpr int OWN = COLS / 128, WARPS = THREADS / 32;

extern "C" __global__ void __launch_bounds__(THREADS)
layernorm_f32_params_home(const float4* __restrict__ x, const float4* __restrict__ gamma, const float4* __restrict__ beta,
                          float4* __restrict__ y, float2* __restrict__ stats)
{
    __shared__ float4 gs[HOME == 1 ? COLS / 4 : 1], bs[HOME == 1 ? COLS / 4 : 1];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    float4 g[OWN], b[OWN];
    if (HOME == 1) {
        for (int i = threadIdx.x; i < COLS / 4; i += THREADS) {
            gs[i] = gamma[i];
            bs[i] = beta[i];
        }
        __syncthreads();
    } else if (HOME == 2) {
#pragma unroll
        for (int i = 0; i < OWN; ++i) {
            g[i] = gamma[i * 32 + lane];
            b[i] = beta[i * 32 + lane];
        }
    }
    const int first = (blockIdx.x * WARPS + warp) * RUN;
#pragma unroll 1
    for (int row = first; row < first + RUN; ++row) {
        const float4* from = x + (size_t)row * (COLS / 4) + lane;
        float4 v[OWN];
        float sum = 0.0f, squares = 0.0f;
#pragma unroll
        for (int i = 0; i < OWN; ++i) {
            v[i] = from[i * 32];
            sum += v[i].x + v[i].y + v[i].z + v[i].w;
        }
#pragma unroll
        for (int d = 16; d; d >>= 1) sum += __shfl_xor_sync(~0u, sum, d);
        const float mean = sum * (1.0f / COLS);
#pragma unroll
        for (int i = 0; i < OWN; ++i) {
            v[i].x -= mean;
            v[i].y -= mean;
            v[i].z -= mean;
            v[i].w -= mean;
            squares += v[i].x * v[i].x + v[i].y * v[i].y + v[i].z * v[i].z + v[i].w * v[i].w;
        }
#pragma unroll
        for (int d = 16; d; d >>= 1) squares += __shfl_xor_sync(~0u, squares, d);
        const float by = rsqrtf(squares * (1.0f / COLS) + 1.0e-5f);
#pragma unroll
        for (int i = 0; i < OWN; ++i) {
            const float4 p = HOME == 2 ? g[i] : HOME == 1 ? gs[HOME == 1 ? i * 32 + lane : 0] : __ldg(gamma + i * 32 + lane);
            const float4 q = HOME == 2 ? b[i] : HOME == 1 ? bs[HOME == 1 ? i * 32 + lane : 0] : __ldg(beta + i * 32 + lane);
            y[(size_t)row * (COLS / 4) + i * 32 + lane] =
                make_float4(v[i].x * by * p.x + q.x, v[i].y * by * p.y + q.y, v[i].z * by * p.z + q.z, v[i].w * by * p.w + q.w);
        }
        if (lane == 0) stats[row] = make_float2(mean, by);
    }
}
