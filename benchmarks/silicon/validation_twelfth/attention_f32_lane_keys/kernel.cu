// FP32 attention of 16 heads of 512 tokens: a lane has a key while scores are made and two numbers of the result after that.
constexpr int DIM = 64, SEQ = 512, THREADS = 32 * WARPS, LD = DIM + VEC;
struct alignas(VEC * 4) Pack { float v[VEC]; };

extern "C" __global__ void __launch_bounds__(THREADS)
attention_f32_lane_keys(const float* __restrict__ q, const float* __restrict__ k, const float* __restrict__ v, float* __restrict__ out)
{
    alignas(16) __shared__ float qs[WARPS * QUERIES][DIM];
    alignas(16) __shared__ float ks[32][LD];
    alignas(16) __shared__ float vs[32][DIM];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, first = warp * QUERIES;
    const size_t base = (size_t)blockIdx.y * SEQ * DIM, own = base + (size_t)blockIdx.x * WARPS * QUERIES * DIM;
    for (int i = threadIdx.x; i < WARPS * QUERIES * DIM; i += THREADS) qs[i / DIM][i % DIM] = 0.125f * q[own + i];
    float2 acc[QUERIES] = {};
    float top[QUERIES], sum[QUERIES] = {};
#pragma unroll
    for (int i = 0; i < QUERIES; ++i) top[i] = -1.0e30f;
#pragma unroll 1
    for (int k0 = 0; k0 < SEQ; k0 += 32) {
        __syncthreads();
        for (int i = threadIdx.x; i < 32 * DIM / VEC; i += THREADS) {
            const int r = i / (DIM / VEC), c = i % (DIM / VEC) * VEC;
            *reinterpret_cast<Pack*>(&ks[r][c]) = *reinterpret_cast<const Pack*>(k + base + (size_t)(k0 + r) * DIM + c);
        }
        for (int i = threadIdx.x; i < 32 * DIM / 4; i += THREADS)
            *reinterpret_cast<float4*>(&vs[i / 16][i % 16 * 4]) = *reinterpret_cast<const float4*>(v + base + (size_t)k0 * DIM + i * 4);
        __syncthreads();
        float s[QUERIES] = {};
#pragma unroll 4
        for (int d = 0; d < DIM; d += VEC) {
            const Pack x = *reinterpret_cast<const Pack*>(&ks[lane][d]);
#pragma unroll
            for (int i = 0; i < QUERIES; ++i) {
                const Pack y = *reinterpret_cast<const Pack*>(&qs[first + i][d]);
#pragma unroll
                for (int j = 0; j < VEC; ++j) s[i] += y.v[j] * x.v[j];
            }
        }
#pragma unroll
        for (int i = 0; i < QUERIES; ++i) {
            float most = s[i];
#pragma unroll
            for (int d = 16; d; d >>= 1) most = fmaxf(most, __shfl_xor_sync(~0u, most, d));
            most = fmaxf(most, top[i]);
            const float shrink = __expf(top[i] - most);
            top[i] = most;
            s[i] = __expf(s[i] - most);
            sum[i] = sum[i] * shrink + s[i];
            acc[i].x *= shrink;
            acc[i].y *= shrink;
        }
#pragma unroll 8
        for (int j = 0; j < 32; ++j) {
            const float2 x = *reinterpret_cast<const float2*>(&vs[j][2 * lane]);
#pragma unroll
            for (int i = 0; i < QUERIES; ++i) {
                const float p = __shfl_sync(~0u, s[i], j);
                acc[i].x += p * x.x;
                acc[i].y += p * x.y;
            }
        }
    }
#pragma unroll
    for (int i = 0; i < QUERIES; ++i) {
#pragma unroll
        for (int d = 16; d; d >>= 1) sum[i] += __shfl_xor_sync(~0u, sum[i], d);
        *reinterpret_cast<float2*>(out + own + (first + i) * DIM + 2 * lane) = make_float2(acc[i].x / sum[i], acc[i].y / sum[i]);
    }
}
