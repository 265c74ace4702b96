// A step of the wave equation of fourth order with a sponge, over the step before in place; rows above and below from registers or shared memory.
constexpr int N = 2048, RIM = 2;

extern "C" __global__ void __launch_bounds__(BX * BY)
wave2d_order4_damped_rows(const float* __restrict__ now, float* __restrict__ before, const float* __restrict__ speed, const float* __restrict__ damp)
{
    __shared__ float tile[STAGED ? BY * PER + 4 : 1][BX + 4];
    const int x0 = blockIdx.x * BX, y0 = blockIdx.y * BY * PER, x = x0 + threadIdx.x;
    const auto from = [&](int y, int c) { return now[min(max(y, 0), N - 1) * N + min(max(c, 0), N - 1)]; };
    if (STAGED) {
        for (int i = threadIdx.y * BX + threadIdx.x; i < (BY * PER + 4) * (BX + 4); i += BX * BY)
            tile[STAGED ? i / (BX + 4) : 0][i % (BX + 4)] = from(y0 + i / (BX + 4) - 2, x0 + i % (BX + 4) - 2);
        __syncthreads();
    }
    const int r0 = threadIdx.y * PER;
    const auto at = [&](int r, int dx) { return STAGED ? tile[STAGED ? r + 2 : 0][threadIdx.x + 2 + dx] : from(y0 + r, x + dx); };
    float queue[5];
#pragma unroll
    for (int i = 1; i < 5; ++i) queue[i] = at(r0 + i - 3, 0);
#pragma unroll
    for (int p = 0; p < PER; ++p) {
        const int r = r0 + p, i = (y0 + r) * N + x;
#pragma unroll
        for (int k = 0; k < 4; ++k) queue[k] = queue[k + 1];
        queue[4] = at(r + 2, 0);
        const float c = queue[2];
        const float laplace = 1.3333334f * (queue[1] + queue[3] + at(r, -1) + at(r, 1)) - 0.083333336f * (queue[0] + queue[4] + at(r, -2) + at(r, 2)) - 5.0f * c;
        const float d = damp[x] * damp[y0 + r], v = speed[i];
        before[i] = d * (2.0f * c - d * before[i] + 0.1f * v * v * laplace);
    }
}
