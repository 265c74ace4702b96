// Eight floats a thread in two accesses of 128 bits: SPLIT, each of which touches half of every sector, or packed, in whole ones.
// A warp reads READS arrays and writes WRITES, each part of an array once.
extern "C" __global__ void half_sectors(const float4* input, float4* out, int pairs) {
    const int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
    const int first = SPLIT ? 2 * i : i / 32 * 64 + i % 32, second = SPLIT ? 2 * i + 1 : first + 32;
    float4 a = {}, b = {};
#pragma unroll
    for (int k = 0; k < READS; ++k) {
        const float4 x = input[(size_t)k * 2 * pairs + first], y = input[(size_t)k * 2 * pairs + second];
        a.x += x.x, a.y += x.y, a.z += x.z, a.w += x.w;
        b.x += y.x, b.y += y.y, b.z += y.z, b.w += y.w;
    }
#pragma unroll
    for (int k = 0; k < WRITES; ++k) {
        out[(size_t)k * 2 * pairs + first] = a;
        out[(size_t)k * 2 * pairs + second] = b;
    }
    if (!WRITES && a.x + b.x == 12345.0f) out[i] = a;
}
