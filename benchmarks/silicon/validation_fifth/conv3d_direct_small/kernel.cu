// Volume of 64 x 64 x 32 voxels, four channels in and eight out, zeros around; weights as [in][27][out].
constexpr int SIDE = 64, IN = 4, OUT = 8, DEPTH = 32, VOLUME = SIDE * SIDE * DEPTH;

extern "C" __global__ void __launch_bounds__(128)
conv3d_direct_small(const float* __restrict__ x, const float* __restrict__ w, float* __restrict__ y)
{
    const int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
    const int oc = blockIdx.z % (OUT / OC_EACH) * OC_EACH, z0 = blockIdx.z / (OUT / OC_EACH) * DEPTH_EACH;
    float sum[DEPTH_EACH][OC_EACH] = {};
#pragma unroll 1
    for (int c = 0; c < IN; ++c)
#pragma unroll 1
        for (int t = 0; t < 9; ++t) {
            const int yy = py + t / 3 - 1, xx = px + t % 3 - 1;
            const bool inside = yy >= 0 && yy < SIDE && xx >= 0 && xx < SIDE;
            float column[DEPTH_EACH + 2];
#pragma unroll
            for (int d = 0; d < DEPTH_EACH + 2; ++d) {
                const int zz = z0 + d - 1;
                column[d] = inside && zz >= 0 && zz < DEPTH ? x[c * VOLUME + (zz * SIDE + yy) * SIDE + xx] : 0.0f;
            }
#pragma unroll
            for (int k = 0; k < 3; ++k)
#pragma unroll
                for (int o = 0; o < OC_EACH; ++o) {
                    const float weight = w[(c * 27 + k * 9 + t) * OUT + oc + o];
#pragma unroll
                    for (int d = 0; d < DEPTH_EACH; ++d) sum[d][o] += weight * column[d + k];
                }
        }
#pragma unroll
    for (int d = 0; d < DEPTH_EACH; ++d)
#pragma unroll
        for (int o = 0; o < OC_EACH; ++o) y[(oc + o) * VOLUME + ((z0 + d) * SIDE + py) * SIDE + px] = sum[d][o];
}
