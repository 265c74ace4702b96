// The loads of a matrix product: block (i, j) reads row panel i of one matrix and column panel j of another, stretch by stretch. `GROUP` rows
// of tiles are gone through column by column.
extern "C" __global__ void raster(const float4* rows, const float4* columns, float* out, int tiles, int panel) {
    extern __shared__ float unused[];
    const int strip = blockIdx.x / (GROUP * tiles), in_strip = blockIdx.x % (GROUP * tiles);
    const int i = strip * GROUP + in_strip % GROUP, j = in_strip / GROUP;
    const float4* a = rows + (long)i * panel;
    const float4* b = columns + (long)j * panel;
    float sum = 0;
#pragma unroll 2
    for (int k = threadIdx.x; k < panel; k += 256) {
        const float4 left = a[k], right = b[k];
        sum += left.x * right.x + left.y * right.y + left.z * right.z + left.w * right.w;
    }
    out[blockIdx.x * 256 + threadIdx.x] = sum;
}
