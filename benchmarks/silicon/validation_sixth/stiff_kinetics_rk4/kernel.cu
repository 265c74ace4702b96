// Reaction i turns species i and the one three further on into the next; each cell has a temperature.
constexpr int CELLS = 81920, STEPS = 8;
constexpr float DT = 0.01f;

extern "C" __global__ void stiff_kinetics_rk4(const float* __restrict__ start, const float* __restrict__ rates,
                                              const float* __restrict__ heat, float* __restrict__ end)
{
    const int cell = blockIdx.x * THREADS + threadIdx.x;
    float y[SPECIES], k[SPECIES];
    const float warm = heat[cell];
#pragma unroll
    for (int s = 0; s < SPECIES; ++s) {
        y[s] = start[s * CELLS + cell];
        k[s] = rates[s] * __expf(-warm * (0.5f + 0.1f * s));
    }
#pragma unroll 1
    for (int step = 0; step < STEPS; ++step) {
        float total[SPECIES] = {}, d[SPECIES] = {};
#pragma unroll
        for (int stage = 0; stage < 4; ++stage) {
            const float ahead = stage == 0 ? 0.0f : stage == 3 ? DT : 0.5f * DT;
            const float weight = stage == 0 || stage == 3 ? DT / 6.0f : DT / 3.0f;
            float at[SPECIES];
#pragma unroll
            for (int s = 0; s < SPECIES; ++s) {
                at[s] = y[s] + ahead * d[s];
                d[s] = 0.0f;
            }
#pragma unroll
            for (int s = 0; s < SPECIES; ++s) {
                const float flow = k[s] * at[s] * at[(s + 3) % SPECIES];
                d[s] -= flow;
                d[(s + 3) % SPECIES] -= 0.5f * flow;
                d[(s + 1) % SPECIES] += 1.5f * flow;
            }
#pragma unroll
            for (int s = 0; s < SPECIES; ++s) total[s] += weight * d[s];
        }
#pragma unroll
        for (int s = 0; s < SPECIES; ++s) y[s] += total[s];
    }
#pragma unroll
    for (int s = 0; s < SPECIES; ++s) end[s * CELLS + cell] = y[s];
}
