// Inverses by minors of 2 x 2; layout 0 has a matrix's 16 numbers together, 1 also exchanges them through shared memory, 2 has planes.
constexpr int COUNT = 524288, TILE = THREADS * 17;

extern "C" __global__ void __launch_bounds__(THREADS)
inverse4x4_batch_layouts(const float* __restrict__ m, float* __restrict__ inverse)
{
    __shared__ float kept[LAYOUT == 1 ? TILE : 1];
    const int t = threadIdx.x;
#pragma unroll 1
    for (int e = 0; e < EACH; ++e) {
        const int base = (blockIdx.x * EACH + e) * THREADS, id = base + t;
        float a[16], o[16];
        if (LAYOUT == 0) {
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                const float4 v = reinterpret_cast<const float4*>(m)[id * 4 + i];
                a[4 * i] = v.x, a[4 * i + 1] = v.y, a[4 * i + 2] = v.z, a[4 * i + 3] = v.w;
            }
        } else if (LAYOUT == 1) {
            if (e) __syncthreads();
#pragma unroll
            for (int i = 0; i < 16; ++i) {
                const int at = i * THREADS + t;
                kept[LAYOUT == 1 ? at / 16 * 17 + at % 16 : 0] = m[base * 16 + at];
            }
            __syncthreads();
#pragma unroll
            for (int i = 0; i < 16; ++i) a[i] = kept[LAYOUT == 1 ? t * 17 + i : 0];
        } else {
#pragma unroll
            for (int i = 0; i < 16; ++i) a[i] = m[i * COUNT + id];
        }
#pragma unroll
        for (int i = 0; i < 4; ++i) a[5 * i] += 4.0f;
        const float s0 = a[0] * a[5] - a[4] * a[1], s1 = a[0] * a[6] - a[4] * a[2], s2 = a[0] * a[7] - a[4] * a[3];
        const float s3 = a[1] * a[6] - a[5] * a[2], s4 = a[1] * a[7] - a[5] * a[3], s5 = a[2] * a[7] - a[6] * a[3];
        const float c5 = a[10] * a[15] - a[14] * a[11], c4 = a[9] * a[15] - a[13] * a[11], c3 = a[9] * a[14] - a[13] * a[10];
        const float c2 = a[8] * a[15] - a[12] * a[11], c1 = a[8] * a[14] - a[12] * a[10], c0 = a[8] * a[13] - a[12] * a[9];
        const float by = 1.0f / (s0 * c5 - s1 * c4 + s2 * c3 + s3 * c2 - s4 * c1 + s5 * c0);
        o[0] = (a[5] * c5 - a[6] * c4 + a[7] * c3) * by;
        o[1] = (-a[1] * c5 + a[2] * c4 - a[3] * c3) * by;
        o[2] = (a[13] * s5 - a[14] * s4 + a[15] * s3) * by;
        o[3] = (-a[9] * s5 + a[10] * s4 - a[11] * s3) * by;
        o[4] = (-a[4] * c5 + a[6] * c2 - a[7] * c1) * by;
        o[5] = (a[0] * c5 - a[2] * c2 + a[3] * c1) * by;
        o[6] = (-a[12] * s5 + a[14] * s2 - a[15] * s1) * by;
        o[7] = (a[8] * s5 - a[10] * s2 + a[11] * s1) * by;
        o[8] = (a[4] * c4 - a[5] * c2 + a[7] * c0) * by;
        o[9] = (-a[0] * c4 + a[1] * c2 - a[3] * c0) * by;
        o[10] = (a[12] * s4 - a[13] * s2 + a[15] * s0) * by;
        o[11] = (-a[8] * s4 + a[9] * s2 - a[11] * s0) * by;
        o[12] = (-a[4] * c3 + a[5] * c1 - a[6] * c0) * by;
        o[13] = (a[0] * c3 - a[1] * c1 + a[2] * c0) * by;
        o[14] = (-a[12] * s3 + a[13] * s1 - a[14] * s0) * by;
        o[15] = (a[8] * s3 - a[9] * s1 + a[10] * s0) * by;
        if (LAYOUT == 0) {
#pragma unroll
            for (int i = 0; i < 4; ++i) reinterpret_cast<float4*>(inverse)[id * 4 + i] = make_float4(o[4 * i], o[4 * i + 1], o[4 * i + 2], o[4 * i + 3]);
        } else if (LAYOUT == 1) {
            __syncthreads();
#pragma unroll
            for (int i = 0; i < 16; ++i) kept[LAYOUT == 1 ? t * 17 + i : 0] = o[i];
            __syncthreads();
#pragma unroll
            for (int i = 0; i < 16; ++i) {
                const int at = i * THREADS + t;
                inverse[base * 16 + at] = kept[LAYOUT == 1 ? at / 16 * 17 + at % 16 : 0];
            }
        } else {
#pragma unroll
            for (int i = 0; i < 16; ++i) inverse[i * COUNT + id] = o[i];
        }
    }
}
