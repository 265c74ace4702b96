// Coordinates between 0 and 1; 1,024 distances between -1 and 1.5 for each angle.
constexpr int U = UNROLL;

extern "C" __global__ void __launch_bounds__(THREADS)
hough_angle_votes(const float2* __restrict__ point, unsigned* __restrict__ votes)
{
    __shared__ unsigned bins[ANGLES * 1024];
    for (int i = threadIdx.x; i < ANGLES * 1024; i += THREADS) bins[i] = 0;
    float c[ANGLES], s[ANGLES];
#pragma unroll
    for (int a = 0; a < ANGLES; ++a) sincosf((blockIdx.x * ANGLES + a) * 0.01745329f, &s[a], &c[a]);
    __syncthreads();
    const float2* from = point + blockIdx.y * 16384;
#pragma unroll U
    for (int i = 0; i < 16384 / THREADS; ++i) {
        const float2 p = from[i * THREADS + threadIdx.x];
#pragma unroll
        for (int a = 0; a < ANGLES; ++a) {
            const int bin = __float2int_rd((p.x * c[a] + p.y * s[a] + 1.0f) * 409.0f);
            atomicAdd(bins + a * 1024 + min(max(bin, 0), 1023), 1u);
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < ANGLES * 1024; i += THREADS)
        if (bins[i]) atomicAdd(votes + blockIdx.x * ANGLES * 1024 + i, bins[i]);
}
