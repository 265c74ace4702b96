// 2,048 x 2,048 places with borders of one row and four columns; faces' coefficients are at their left and upper sides.
struct alignas(VEC * 4) Pack { float v[VEC]; };

extern "C" __global__ void __launch_bounds__(32 * BLOCK_Y)
diffusion2d_face_coefficients(const float* __restrict__ u, const float* __restrict__ kx, const float* __restrict__ ky,
                              float* __restrict__ out)
{
    const int col = (blockIdx.x * 32 + threadIdx.x) * VEC, r0 = (blockIdx.y * BLOCK_Y + threadIdx.y) * ROWS;
    auto at = [&](const float* p) { return *reinterpret_cast<const Pack*>(p); };
    Pack up = at(u + r0 * 2056 + col + 4), here = at(u + (r0 + 1) * 2056 + col + 4), above = at(ky + r0 * 2048 + col);
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
        const int row = r0 + r;
        const Pack down = at(u + (row + 2) * 2056 + col + 4), below = at(ky + (row + 1) * 2048 + col), side = at(kx + row * 2056 + col);
        const float left = u[(row + 1) * 2056 + col + 3], right = u[(row + 1) * 2056 + col + 4 + VEC], last = kx[row * 2056 + col + VEC];
        Pack p;
#pragma unroll
        for (int j = 0; j < VEC; ++j) {
            const float l = j ? here.v[j ? j - 1 : 0] : left, e = j < VEC - 1 ? here.v[j < VEC - 1 ? j + 1 : 0] : right;
            const float ke = j < VEC - 1 ? side.v[j < VEC - 1 ? j + 1 : 0] : last;
            p.v[j] = here.v[j] + 0.1f * (side.v[j] * (l - here.v[j]) + ke * (e - here.v[j]) + above.v[j] * (up.v[j] - here.v[j]) + below.v[j] * (down.v[j] - here.v[j]));
        }
        *reinterpret_cast<Pack*>(out + row * 2048 + col) = p;
        up = here;
        here = down;
        above = below;
    }
}
