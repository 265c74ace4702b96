// Cross entropy with z loss; a team of threads has a row and CHAINS running maxima and sums a thread.
constexpr int PACKS = VOCAB / VEC, WARPS = TEAM / 32, TEAMS = 2, C = CHAINS;
struct alignas(VEC * 4) Pack { float f[VEC]; };

extern "C" __global__ void __launch_bounds__(TEAM * TEAMS)
xent_f32_zloss_teams(const Pack* __restrict__ logits, const int* __restrict__ labels, float* __restrict__ loss)
{
    __shared__ float2 part[TEAMS][WARPS];
    const int row = blockIdx.x * TEAMS + threadIdx.y;
    const Pack* from = logits + (size_t)row * PACKS;
    float top[C], sum[C];
#pragma unroll
    for (int c = 0; c < C; ++c) top[c] = -1e30f, sum[c] = 0.0f;
#pragma unroll 1
    for (int i = threadIdx.x; i < PACKS; i += TEAM * C)
#pragma unroll
        for (int c = 0; c < C; ++c)
            if (c == 0 || i + c * TEAM < PACKS) {
                const Pack p = from[i + c * TEAM];
#pragma unroll
                for (int j = 0; j < VEC; ++j) {
                    const float here = fmaxf(top[c], p.f[j]);
                    sum[c] = sum[c] * __expf(top[c] - here) + __expf(p.f[j] - here);
                    top[c] = here;
                }
            }
    float m = top[0], s = sum[0];
#pragma unroll
    for (int c = 1; c < C; ++c) {
        const float both = fmaxf(m, top[c]);
        s = s * __expf(m - both) + sum[c] * __expf(top[c] - both);
        m = both;
    }
#pragma unroll
    for (int d = 16; d; d >>= 1) {
        const float om = __shfl_xor_sync(~0u, m, d), os = __shfl_xor_sync(~0u, s, d), both = fmaxf(m, om);
        s = s * __expf(m - both) + os * __expf(om - both);
        m = both;
    }
    if (threadIdx.x % 32 == 0) part[threadIdx.y][threadIdx.x / 32] = make_float2(m, s);
    __syncthreads();
    if (threadIdx.x == 0) {
#pragma unroll
        for (int w = 1; w < WARPS; ++w) {
            const float2 o = part[threadIdx.y][w];
            const float both = fmaxf(m, o.x);
            s = s * __expf(m - both) + o.y * __expf(o.x - both);
            m = both;
        }
        const float lse = m + __logf(s);
        loss[row] = lse - reinterpret_cast<const float*>(from)[labels[row]] + 1e-4f * lse * lse;
    }
}
