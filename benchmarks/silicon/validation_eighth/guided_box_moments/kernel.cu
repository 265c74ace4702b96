// 1,024 x 1,024 pixels with RADIUS more on every side; means, variance and covariance of guide and input.
constexpr int W = 1024, LINE = W + 2 * RADIUS, SPAN = 2 * RADIUS + 1, H = BLOCK_Y * EACH, TH = H + 2 * RADIUS, TW = 32 + 2 * RADIUS;

extern "C" __global__ void __launch_bounds__(32 * BLOCK_Y)
guided_box_moments(const float* __restrict__ guide, const float* __restrict__ input, float2* __restrict__ coefficients)
{
    __shared__ float2 tile[TH][TW];
    __shared__ float4 rows[SEPARABLE ? TH : 1][32];
    const int tx = threadIdx.x, ty = threadIdx.y, corner = blockIdx.y * H * LINE + blockIdx.x * 32;
    for (int i = ty * 32 + tx; i < TH * TW; i += 32 * BLOCK_Y) {
        const int at = corner + i / TW * LINE + i % TW;
        tile[i / TW][i % TW] = make_float2(guide[at], input[at]);
    }
    __syncthreads();
    if (SEPARABLE) {
        for (int r = ty; r < TH; r += BLOCK_Y) {
            float4 s = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
#pragma unroll
            for (int k = 0; k < SPAN; ++k) {
                const float2 f = tile[r][tx + k];
                s.x += f.x;
                s.y += f.y;
                s.z += f.x * f.y;
                s.w += f.x * f.x;
            }
            rows[r][tx] = s;
        }
        __syncthreads();
    }
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        const int y = e * BLOCK_Y + ty;
        float4 s = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
#pragma unroll
        for (int r = 0; r < SPAN; ++r) {
            if (SEPARABLE) {
                const float4 f = rows[y + r][tx];
                s.x += f.x;
                s.y += f.y;
                s.z += f.z;
                s.w += f.w;
            } else {
#pragma unroll
                for (int k = 0; k < SPAN; ++k) {
                    const float2 f = tile[y + r][tx + k];
                    s.x += f.x;
                    s.y += f.y;
                    s.z += f.x * f.y;
                    s.w += f.x * f.x;
                }
            }
        }
        const float c = 1.0f / (SPAN * SPAN), mi = s.x * c, mp = s.y * c;
        const float a = (s.z * c - mi * mp) / (s.w * c - mi * mi + 0.01f);
        coefficients[(blockIdx.y * H + y) * W + blockIdx.x * 32 + tx] = make_float2(a, mp - a * mi);
    }
}
