// Star of seven places over a volume, all from caches: blocks of several planes, a thread has ZT places one above the other or VEC in a row.
constexpr int NX = 256, NY = 256, NZ = 192;
struct alignas(VEC * 4) Pack { float v[VEC]; };

extern "C" __global__ void __launch_bounds__(256)
star3d7_f32_blocks_no_shared(const float* __restrict__ in, float* __restrict__ out)
{
    const int x = (blockIdx.x * BX + threadIdx.x) * VEC, y = blockIdx.y * blockDim.y + threadIdx.y, z0 = (blockIdx.z * blockDim.z + threadIdx.z) * ZT;
    const auto at = [&](int z, int row) {
        return *reinterpret_cast<const Pack*>(in + ((size_t)min(max(z, 0), NZ - 1) * NY + min(max(row, 0), NY - 1)) * NX + x);
    };
    Pack below = at(z0 - 1, y), here = at(z0, y);
#pragma unroll
    for (int i = 0; i < ZT; ++i) {
        const int z = z0 + i;
        const Pack above = at(z + 1, y), north = at(z, y - 1), south = at(z, y + 1);
        const float* line = in + ((size_t)z * NY + y) * NX;
        const float left = line[max(x - 1, 0)], right = line[min(x + VEC, NX - 1)];
        Pack r;
#pragma unroll
        for (int j = 0; j < VEC; ++j) {
            const float west = j ? here.v[j ? j - 1 : 0] : left, east = j + 1 < VEC ? here.v[j + 1 < VEC ? j + 1 : 0] : right;
            r.v[j] = 0.4f * here.v[j] + 0.1f * (below.v[j] + above.v[j] + north.v[j] + south.v[j] + west + east);
        }
        *reinterpret_cast<Pack*>(out + ((size_t)z * NY + y) * NX + x) = r;
        below = here;
        here = above;
    }
}
