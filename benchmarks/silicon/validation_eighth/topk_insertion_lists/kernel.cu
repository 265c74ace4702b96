// 8,192 rows of 2,048; every lane keeps a sorted list, then the warp takes the largest head TOP times.
struct alignas(VEC * 4) Pack { float v[VEC]; };
constexpr int COLS = 2048;

extern "C" __global__ void __launch_bounds__(128)
topk_insertion_lists(const Pack* __restrict__ x, float* __restrict__ values, int* __restrict__ places)
{
    const int lane = threadIdx.x % 32, row = blockIdx.x * 4 + threadIdx.x / 32;
    float best[TOP];
    int where[TOP];
#pragma unroll
    for (int i = 0; i < TOP; ++i) {
        best[i] = -1.0f;
        where[i] = -1;
    }
#pragma unroll 2
    for (int c = lane; c < COLS / VEC; c += 32) {
        const Pack p = x[row * (COLS / VEC) + c];
#pragma unroll
        for (int j = 0; j < VEC; ++j) {
            float f = p.v[j];
            int at = c * VEC + j;
            if (!GUARDED || f > best[TOP - 1]) {
#pragma unroll
                for (int i = 0; i < TOP; ++i) {
                    const bool larger = f > best[i];
                    const float g = best[i];
                    const int b = where[i];
                    best[i] = larger ? f : g;
                    where[i] = larger ? at : b;
                    f = larger ? g : f;
                    at = larger ? b : at;
                }
            }
        }
    }
#pragma unroll
    for (int k = 0; k < TOP; ++k) {
        float f = best[0];
        int owner = lane;
#pragma unroll
        for (int d = 16; d; d >>= 1) {
            const float g = __shfl_xor_sync(~0u, f, d);
            const int o = __shfl_xor_sync(~0u, owner, d);
            if (g > f || (g == f && o < owner)) {
                f = g;
                owner = o;
            }
        }
        if (owner == lane) {
            values[row * TOP + k] = best[0];
            places[row * TOP + k] = where[0];
#pragma unroll
            for (int i = 0; i + 1 < TOP; ++i) {
                best[i] = best[i + 1];
                where[i] = where[i + 1];
            }
            best[TOP - 1] = -2.0f;
        }
    }
}
