// Rows of 2,048 cells; sums exclude two guard cells on each side; cells beyond a row's ends count as zeros.
constexpr int SIDE = TRAIN + 2, LENGTH = 2048 + 2 * SIDE, PER = 2048 / THREADS;

extern "C" __global__ void __launch_bounds__(THREADS)
cfar_range_cells(const float* __restrict__ x, float* __restrict__ y)
{
    __shared__ float cell[LENGTH + LENGTH / 32 + 1], part[32];
    const int t = threadIdx.x, base = blockIdx.x * 2048;
    auto at = [](int i) { return METHOD == 0 ? i : i + i / 32; };
    for (int i = t; i < LENGTH; i += THREADS) cell[at(i)] = i >= SIDE && i < SIDE + 2048 ? x[base + i - SIDE] : 0.0f;
    __syncthreads();
    if (METHOD == 0) {
#pragma unroll 2
        for (int k = 0; k < PER; ++k) {
            const int c = k * THREADS + t;
            float s = 0.0f;
#pragma unroll
            for (int i = 0; i < TRAIN; ++i) s += cell[c + i] + cell[c + SIDE + 3 + i];
            y[base + c] = cell[c + SIDE] * (2.0f * TRAIN) / (s + 1.0e-6f);
        }
    } else if (METHOD == 1) {
        const int c = t * PER;
        float s = 0.0f;
#pragma unroll 8
        for (int i = 0; i < TRAIN; ++i) s += cell[at(c + i)] + cell[at(c + SIDE + 3 + i)];
        float r[PER];
#pragma unroll
        for (int k = 0; k < PER; ++k) {
            r[k] = cell[at(c + k + SIDE)] * (2.0f * TRAIN) / (s + 1.0e-6f);
            if (k + 1 < PER)
                s += cell[at(c + k + TRAIN)] - cell[at(c + k)] + cell[at(c + k + SIDE + 3 + TRAIN)] - cell[at(c + k + SIDE + 3)];
        }
#pragma unroll
        for (int k = 0; k < PER; k += 4)
            *reinterpret_cast<float4*>(y + base + c + k) = make_float4(r[k], r[k + 1], r[k + 2], r[k + 3]);
    } else {
        constexpr int OWN = (LENGTH + THREADS - 1) / THREADS;
        float own[OWN], s = 0.0f, keep[PER];
#pragma unroll
        for (int k = 0; k < PER; ++k) keep[k] = cell[at(k * THREADS + t + SIDE)];
#pragma unroll
        for (int i = 0; i < OWN; ++i) {
            if (t * OWN + i < LENGTH) s += cell[at(t * OWN + i)];
            own[i] = s;
        }
        float upto = s;
#pragma unroll
        for (int d = 1; d < 32; d *= 2) {
            const float o = __shfl_up_sync(~0u, upto, d);
            if (t % 32 >= d) upto += o;
        }
        if (t % 32 == 31) part[t / 32] = upto;
        __syncthreads();
        float before = upto - s;
        for (int w = 0; w < t / 32; ++w) before += part[w];
#pragma unroll
        for (int i = 0; i < OWN; ++i)
            if (t * OWN + i < LENGTH) cell[at(t * OWN + i)] = before + own[i];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < PER; ++k) {
            const int c = k * THREADS + t;
            const float low = cell[at(c + TRAIN - 1)] - (c ? cell[at(c - 1)] : 0.0f);
            const float high = cell[at(c + SIDE + 2 + TRAIN)] - cell[at(c + SIDE + 2)];
            y[base + c] = keep[k] * (2.0f * TRAIN) / (low + high + 1.0e-6f);
        }
    }
}
