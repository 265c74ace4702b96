// A body is a position and a mass; a row of blocks takes a sixteenth of the sources.
extern "C" __global__ void __launch_bounds__(128)
nbody_shuffle_sources(const float4* __restrict__ body, float4* __restrict__ out)
{
    __shared__ float4 tile[SHUFFLES ? 1 : 128];
    float4 own[EACH];
    float3 acc[EACH];
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        own[e] = body[(blockIdx.x * EACH + e) * 128 + threadIdx.x];
        acc[e] = make_float3(0.0f, 0.0f, 0.0f);
    }
    auto pull = [&](float4 s) {
#pragma unroll
        for (int e = 0; e < EACH; ++e) {
            const float x = s.x - own[e].x, y = s.y - own[e].y, z = s.z - own[e].z;
            const float r = rsqrtf(x * x + y * y + z * z + 1.0e-4f), f = s.w * r * r * r;
            acc[e].x += f * x;
            acc[e].y += f * y;
            acc[e].z += f * z;
        }
    };
    const int begin = blockIdx.y * (BODIES / 16);
    if (SHUFFLES) {
#pragma unroll 1
        for (int j = begin; j < begin + BODIES / 16; j += 32) {
            const float4 mine = body[j + threadIdx.x % 32];
#pragma unroll 8
            for (int k = 0; k < 32; ++k)
                pull(make_float4(__shfl_sync(~0u, mine.x, k), __shfl_sync(~0u, mine.y, k), __shfl_sync(~0u, mine.z, k),
                                 __shfl_sync(~0u, mine.w, k)));
        }
    } else {
#pragma unroll 1
        for (int j = begin; j < begin + BODIES / 16; j += 128) {
            __syncthreads();
            tile[threadIdx.x] = body[j + threadIdx.x];
            __syncthreads();
#pragma unroll 8
            for (int k = 0; k < 128; ++k) pull(tile[k]);
        }
    }
#pragma unroll
    for (int e = 0; e < EACH; ++e)
        out[blockIdx.y * BODIES + (blockIdx.x * EACH + e) * 128 + threadIdx.x] = make_float4(acc[e].x, acc[e].y, acc[e].z, 0.0f);
}
