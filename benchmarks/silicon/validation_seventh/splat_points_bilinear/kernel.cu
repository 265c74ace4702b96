// 524,288 points with two values each, spread over four cells of a square by FP32 atomics in global memory.
constexpr int POINTS = 524288;

extern "C" __global__ void __launch_bounds__(128)
splat_points_bilinear(const float* __restrict__ data, float* __restrict__ cells)
{
    const int first = blockIdx.x * 128 * EACH + threadIdx.x;
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        const int i = first + e * 128;
#if TOGETHER
        const float4 p = reinterpret_cast<const float4*>(data)[i];
#else
        const float4 p = make_float4(data[i], data[i + POINTS], data[i + 2 * POINTS], data[i + 3 * POINTS]);
#endif
        const float fx = p.x * (SIDE - 2), fy = p.y * (SIDE - 2);
        const int x = min((int)fx, SIDE - 2), y = min((int)fy, SIDE - 2);
        const float ax = fx - x, ay = fy - y;
        const float w[4] = {(1 - ax) * (1 - ay), ax * (1 - ay), (1 - ax) * ay, ax * ay};
#pragma unroll
        for (int c = 0; c < 4; ++c) {
            const int at = (y + c / 2) * SIDE + x + c % 2;
            atomicAdd(cells + at, w[c] * p.z);
            atomicAdd(cells + SIDE * SIDE + at, w[c] * p.w);
        }
    }
}
