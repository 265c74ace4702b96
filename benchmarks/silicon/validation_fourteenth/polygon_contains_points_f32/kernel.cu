// A ray to the right crosses an edge if the edge spans its height and lies right of the point.
constexpr int THREADS = 128;

extern "C" __global__ void __launch_bounds__(THREADS)
polygon_contains_points_f32(const float2* __restrict__ points, const float2* __restrict__ polygon, unsigned char* __restrict__ inside)
{
    __shared__ float2 held[STAGED ? CORNERS : 1];
    if (STAGED) {
        for (int i = threadIdx.x; i < CORNERS; i += THREADS) held[i] = polygon[i];
        __syncthreads();
    }
    const float2* corner = STAGED ? held : polygon;
    const int first = blockIdx.x * THREADS * EACH + threadIdx.x;
    float2 p[EACH];
    int odd[EACH] = {};
#pragma unroll
    for (int e = 0; e < EACH; ++e) p[e] = points[first + e * THREADS];
    float2 a = corner[CORNERS - 1];
#pragma unroll 4
    for (int i = 0; i < CORNERS; ++i) {
        const float2 b = corner[i];
#pragma unroll
        for (int e = 0; e < EACH; ++e) {
            const bool spans = (a.y > p[e].y) != (b.y > p[e].y);
            bool right;
            if (DIVIDE) {
                right = p[e].x < (b.x - a.x) * (p[e].y - a.y) / (b.y - a.y) + a.x;
            } else {
                const float side = (p[e].x - a.x) * (b.y - a.y) - (b.x - a.x) * (p[e].y - a.y);
                right = (side < 0.0f) == (b.y > a.y);
            }
            odd[e] ^= spans && right;
        }
        a = b;
    }
#pragma unroll
    for (int e = 0; e < EACH; ++e) inside[first + e * THREADS] = odd[e];
}
