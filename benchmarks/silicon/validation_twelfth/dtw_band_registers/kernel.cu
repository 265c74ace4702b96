// Dynamic time warping of pairs of series within a band that a thread keeps in registers; series together or interleaved.
constexpr int PAIRS = 65536, LENGTH = 128, BAND = 2 * RADIUS + 1;

extern "C" __global__ void __launch_bounds__(THREADS)
dtw_band_registers(const float* __restrict__ first, const float* __restrict__ second, float* __restrict__ out)
{
    const int id = blockIdx.x * THREADS + threadIdx.x;
    const auto at = [&](const float* from, int t) { return INTERLEAVED ? from[(size_t)t * PAIRS + id] : from[(size_t)id * LENGTH + t]; };
    float row[BAND], window[BAND];
#pragma unroll
    for (int i = 0; i < BAND; ++i) {
        row[i] = i == RADIUS ? 0.0f : 1.0e30f;
        const int t = i - RADIUS - 1;
        window[i] = t >= 0 ? at(second, t) : 1.0e15f;
    }
#pragma unroll 1
    for (int t = 0; t < LENGTH; ++t) {
        const float a = at(first, t);
#pragma unroll
        for (int i = 0; i + 1 < BAND; ++i) window[i] = window[i + 1];
        window[BAND - 1] = t + RADIUS < LENGTH ? at(second, t + RADIUS) : 1.0e15f;
        float left = 1.0e30f;
#pragma unroll
        for (int i = 0; i < BAND; ++i) {
            const float d = a - window[i], before = fminf(row[i], i + 1 < BAND ? row[i + 1 < BAND ? i + 1 : 0] : 1.0e30f);
            left = fminf(left, before) + (SQUARED ? d * d : fabsf(d));
            row[i] = left;
        }
    }
    out[id] = row[RADIUS];
}
