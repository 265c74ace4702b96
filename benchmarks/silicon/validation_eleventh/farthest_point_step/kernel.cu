// A step of farthest point sampling: distances to the last point, minima with those so far, and each block's farthest point.
constexpr int COUNT = 4194304;

extern "C" __global__ void __launch_bounds__(THREADS)
farthest_point_step(const float* __restrict__ points, float* __restrict__ nearest, float* __restrict__ top, int* __restrict__ which)
{
    __shared__ float tops[THREADS / 32];
    __shared__ int places[THREADS / 32];
    float best = -1.0f;
    int place = 0;
    const float lx = LAYOUT == 0 ? points[0] : points[0], ly = LAYOUT == 0 ? points[COUNT] : points[1], lz = LAYOUT == 0 ? points[2 * COUNT] : points[2];
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        const int i = (blockIdx.x * EACH + e) * THREADS + threadIdx.x;
        float x, y, z;
        if (LAYOUT == 0) {
            x = points[i];
            y = points[i + COUNT];
            z = points[i + 2 * COUNT];
        } else if (LAYOUT == 1) {
            x = points[3 * i];
            y = points[3 * i + 1];
            z = points[3 * i + 2];
        } else {
            const float4 p = reinterpret_cast<const float4*>(points)[i];
            x = p.x;
            y = p.y;
            z = p.z;
        }
        const float dx = x - lx, dy = y - ly, dz = z - lz, d = fminf(nearest[i], dx * dx + dy * dy + dz * dz);
        nearest[i] = d;
        place = d > best ? i : place;
        best = fmaxf(best, d);
    }
#pragma unroll
    for (int d = 16; d; d >>= 1) {
        const float b = __shfl_down_sync(~0u, best, d);
        const int p = __shfl_down_sync(~0u, place, d);
        place = b > best ? p : place;
        best = fmaxf(b, best);
    }
    if (threadIdx.x % 32 == 0) {
        tops[threadIdx.x / 32] = best;
        places[threadIdx.x / 32] = place;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < THREADS / 32; ++w) {
            place = tops[w] > best ? places[w] : place;
            best = fmaxf(tops[w], best);
        }
        top[blockIdx.x] = best;
        which[blockIdx.x] = place;
    }
}
