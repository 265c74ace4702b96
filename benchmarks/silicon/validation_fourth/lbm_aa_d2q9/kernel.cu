// Lattice Boltzmann in 2-D with one copy of the populations (the AA pattern). The even step works on a cell's own
// populations and stores them turned round; the odd step reads and writes those of the neighbours.
constexpr int W = 1024, H = 1024;

extern "C" __global__ void __launch_bounds__(THREADS) lbm_aa_d2q9(float* __restrict__ f, float omega)
{
    constexpr int CX[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, CY[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
    constexpr int OPPOSITE[9] = {0, 3, 4, 1, 2, 7, 8, 5, 6};
    constexpr float WEIGHT[9] = {4.0f / 9, 1.0f / 9, 1.0f / 9, 1.0f / 9, 1.0f / 9, 1.0f / 36, 1.0f / 36, 1.0f / 36, 1.0f / 36};
    const int cell = blockIdx.x * THREADS + threadIdx.x, x = cell % W, y = cell / W;
    auto place = [&](int dx, int dy, int i) {
        const int other = ((y + dy) & (H - 1)) * W + ((x + dx) & (W - 1));
        return SOA ? i * (W * H) + other : other * 9 + i;
    };
    float v[9], rho = 0.0f, ux = 0.0f, uy = 0.0f;
#pragma unroll
    for (int i = 0; i < 9; ++i) {
        v[i] = ODD ? f[place(-CX[i], -CY[i], OPPOSITE[i])] : f[place(0, 0, i)];
        rho += v[i];
        ux += CX[i] * v[i];
        uy += CY[i] * v[i];
    }
    const float inverse = 1.0f / rho;
    ux *= inverse;
    uy *= inverse;
    const float square = 1.0f - 1.5f * (ux * ux + uy * uy);
#pragma unroll
    for (int i = 0; i < 9; ++i) {
        const float cu = 3.0f * (CX[i] * ux + CY[i] * uy);
        const float equilibrium = WEIGHT[i] * rho * (square + cu + 0.5f * cu * cu);
        const float after = v[i] + omega * (equilibrium - v[i]);
        f[ODD ? place(CX[i], CY[i], i) : place(0, 0, OPPOSITE[i])] = after;
    }
}
