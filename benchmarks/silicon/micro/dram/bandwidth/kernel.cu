// Bytes a second over a footprint: BLOCKS blocks stride over float4 words `passes` times, reading (OP 0), writing (1) or
// copying the lower half to the upper (2).
extern "C" __global__ void bandwidth(float4* __restrict__ data, float4* __restrict__ sink, int vectors, int passes) {
    float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    int threads = gridDim.x * blockDim.x;
    for (int p = 0; p < passes; ++p) {
#pragma unroll 8
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < (OP == 2 ? vectors / 2 : vectors); i += threads) {
#if OP == 0
            float4 v;
            asm volatile("ld.global.cg.v4.f32 {%0, %1, %2, %3}, [%4];"
                         : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                         : "l"(data + i));
            sum.x += v.x;
            sum.y += v.y;
            sum.z += v.z;
            sum.w += v.w;
#elif OP == 1
            data[i] = make_float4(p, p, p, p);
#else
            data[vectors / 2 + i] = data[i];
#endif
        }
    }
    if (sum.x == -1.0f) sink[0] = sum;
}
