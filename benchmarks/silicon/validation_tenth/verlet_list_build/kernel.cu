// A list has at most 16 atoms of each of the eight parts; distances below 0.07 in a periodic box of side one.
constexpr int U = UNROLL;

extern "C" __global__ void __launch_bounds__(THREADS)
verlet_list_build(const float4* __restrict__ place, int* __restrict__ list, int* __restrict__ count)
{
    __shared__ float4 tile[STAGED ? THREADS : 1];
    const int atom = blockIdx.x * THREADS + threadIdx.x;
    const float4 p = place[atom];
    int n = 0;
#pragma unroll 1
    for (int s0 = blockIdx.y * 2048; s0 < blockIdx.y * 2048 + 2048; s0 += THREADS) {
        if (STAGED) {
            __syncthreads();
            tile[threadIdx.x] = place[s0 + threadIdx.x];
            __syncthreads();
        }
#pragma unroll U
        for (int s = 0; s < THREADS; ++s) {
            const float4 q = STAGED ? tile[s] : place[s0 + s];
            float x = q.x - p.x, y = q.y - p.y, z = q.z - p.z;
            x -= rintf(x);
            y -= rintf(y);
            z -= rintf(z);
            if (x * x + y * y + z * z < 0.0049f && s0 + s != atom && n < 16) {
                const int slot = blockIdx.y * 16 + n;
                list[BY_ATOM ? atom * 128 + slot : slot * 16384 + atom] = s0 + s;
                ++n;
            }
        }
    }
    count[blockIdx.y * 16384 + atom] = n;
}
