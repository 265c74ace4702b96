// Cloud-in-cell gather: eight places of the field around each particle.
constexpr int N = 128, CELLS = N * N * N, COUNT = 1048576;

extern "C" __global__ void __launch_bounds__(THREADS)
pic_gather_cic_f32(const float* __restrict__ particles, const float* __restrict__ field, float* __restrict__ force)
{
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        const int p = (blockIdx.x * EACH + e) * THREADS + threadIdx.x;
        float x, y, z;
        if (APART) {
            x = particles[p];
            y = particles[COUNT + p];
            z = particles[2 * COUNT + p];
        } else {
            const float4 v = reinterpret_cast<const float4*>(particles)[p];
            x = v.x, y = v.y, z = v.z;
        }
        x *= 126.0f, y *= 126.0f, z *= 126.0f;
        const int ix = (int)x, iy = (int)y, iz = (int)z;
        const float fx = x - ix, fy = y - iy, fz = z - iz;
        float s[3] = {};
#pragma unroll
        for (int c = 0; c < 8; ++c) {
            const int at = ((iz + c / 4) * N + iy + c / 2 % 2) * N + ix + c % 2;
            const float w = (c % 2 ? fx : 1.0f - fx) * (c / 2 % 2 ? fy : 1.0f - fy) * (c / 4 ? fz : 1.0f - fz);
            if (TOGETHER) {
                const float4 f = reinterpret_cast<const float4*>(field)[at];
                s[0] += w * f.x;
                s[1] += w * f.y;
                s[2] += w * f.z;
            } else {
#pragma unroll
                for (int k = 0; k < 3; ++k) s[k] += w * field[k * CELLS + at];
            }
        }
        if (APART) {
#pragma unroll
            for (int k = 0; k < 3; ++k) force[k * COUNT + p] = s[k];
        } else reinterpret_cast<float4*>(force)[p] = make_float4(s[0], s[1], s[2], 0.0f);
    }
}
