// A step of a stack of planes; a thread keeps the numbers above and below in registers.
constexpr int N = 512, LAYERS = 64;

extern "C" __global__ void __launch_bounds__(BX * BY)
hotspot3d_f32_march(const float* __restrict__ temp, const float* __restrict__ power, float* __restrict__ out)
{
    __shared__ float tile[STAGED ? 2 : 1][STAGED ? BY + 2 : 1][STAGED ? BX + 2 : 1];
    const int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * BX + tx, y = blockIdx.y * BY + ty;
    const int west = max(x - 1, 0), east = min(x + 1, N - 1), north = max(y - 1, 0), south = min(y + 1, N - 1);
    const int z0 = blockIdx.z * RUN;
    float below = temp[(max(z0 - 1, 0) * N + y) * N + x], here = temp[(z0 * N + y) * N + x];
#pragma unroll 2
    for (int z = z0; z < z0 + RUN; ++z) {
        const float* plane = temp + z * N * N;
        const float above = temp[(min(z + 1, LAYERS - 1) * N + y) * N + x];
        float w, e, n, s;
        if (STAGED) {
            float(*t)[STAGED ? BX + 2 : 1] = tile[STAGED ? z & 1 : 0];
            t[STAGED ? ty + 1 : 0][STAGED ? tx + 1 : 0] = here;
            if (tx == 0) t[STAGED ? ty + 1 : 0][0] = plane[y * N + west];
            if (tx == BX - 1) t[STAGED ? ty + 1 : 0][STAGED ? BX + 1 : 0] = plane[y * N + east];
            if (ty == 0) t[0][STAGED ? tx + 1 : 0] = plane[north * N + x];
            if (ty == BY - 1) t[STAGED ? BY + 1 : 0][STAGED ? tx + 1 : 0] = plane[south * N + x];
            __syncthreads();
            w = t[STAGED ? ty + 1 : 0][STAGED ? tx : 0];
            e = t[STAGED ? ty + 1 : 0][STAGED ? tx + 2 : 0];
            n = t[STAGED ? ty : 0][STAGED ? tx + 1 : 0];
            s = t[STAGED ? ty + 2 : 0][STAGED ? tx + 1 : 0];
        } else {
            w = plane[y * N + west];
            e = plane[y * N + east];
            n = plane[north * N + x];
            s = plane[south * N + x];
        }
        out[(z * N + y) * N + x] = 0.4f * here + 0.1f * (w + e) + 0.12f * (n + s) + 0.08f * (above + below) + 0.03f * power[(z * N + y) * N + x] + 0.01f;
        below = here;
        here = above;
    }
}
