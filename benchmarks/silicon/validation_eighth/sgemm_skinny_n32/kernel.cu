// C = A B; A has 32,768 rows of DEPTH numbers, B 32 columns; a thread has RT rows and CT neighbouring columns.
constexpr int GROUPS = 32 / CT, SETS = 128 / GROUPS;

extern "C" __global__ void __launch_bounds__(128)
sgemm_skinny_n32(const float4* __restrict__ a, const float4* __restrict__ b, float4* __restrict__ c)
{
    __shared__ float4 bs[STAGED ? DEPTH * 8 : 1];
    const int g = threadIdx.x % GROUPS, row = blockIdx.x * SETS * RT + threadIdx.x / GROUPS;
    if (STAGED) {
        for (int i = threadIdx.x; i < DEPTH * 8; i += 128) bs[i] = b[i];
        __syncthreads();
    }
    const float4* from = STAGED ? bs : b;
    float acc[RT][CT] = {};
#pragma unroll 2
    for (int k = 0; k < DEPTH; k += 4) {
        float4 f[RT];
#pragma unroll
        for (int r = 0; r < RT; ++r) f[r] = a[(size_t)(row + r * SETS) * (DEPTH / 4) + k / 4];
#pragma unroll
        for (int i = 0; i < 4; ++i)
#pragma unroll
            for (int j = 0; j < CT / 4; ++j) {
                const float4 w = from[(k + i) * 8 + g * (CT / 4) + j];
#pragma unroll
                for (int r = 0; r < RT; ++r) {
                    const float v = i == 0 ? f[r].x : i == 1 ? f[r].y : i == 2 ? f[r].z : f[r].w;
                    acc[r][j * 4] += v * w.x;
                    acc[r][j * 4 + 1] += v * w.y;
                    acc[r][j * 4 + 2] += v * w.z;
                    acc[r][j * 4 + 3] += v * w.w;
                }
            }
    }
#pragma unroll
    for (int r = 0; r < RT; ++r)
#pragma unroll
        for (int j = 0; j < CT / 4; ++j)
            c[(row + r * SETS) * 8 + g * (CT / 4) + j] =
                make_float4(acc[r][j * 4], acc[r][j * 4 + 1], acc[r][j * 4 + 2], acc[r][j * 4 + 3]);
}
