// Lines that a thread reads and writes back (KIND 1) against lines that it reads and others that it writes (0), reads alone (2)
// and writes alone (3), and blocks that read beside blocks that write (4). A thread has ITEMS vectors of 16 bytes, a block of
// 256 threads apart.
extern "C" __global__ void in_place(float4* __restrict__ data, float4* __restrict__ out, float scale) {
    const int block = KIND == 4 ? blockIdx.x / 2 : blockIdx.x, first = block * 256 * ITEMS + threadIdx.x;
    const bool reads = KIND == 4 ? blockIdx.x % 2 == 0 : KIND != 3, writes = KIND == 4 ? !reads : KIND != 2;
    float4 x[ITEMS];
    float sum = 0;
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) {
        x[k] = make_float4(scale, scale, scale, scale);
        if (reads)
            asm volatile("ld.global.v4.f32 {%0, %1, %2, %3}, [%4];"
                         : "=f"(x[k].x), "=f"(x[k].y), "=f"(x[k].z), "=f"(x[k].w)
                         : "l"(data + first + k * 256)
                         : "memory");
    }
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) {
        x[k].x *= scale;
        sum += x[k].x + x[k].y + x[k].z + x[k].w;
        if (writes) (KIND == 1 ? data : out)[first + k * 256] = x[k];
    }
    if (!writes && sum == 12345.0f) out[0] = x[0];
}
