// Each block compares 64 boxes with 64 others and writes a word a box: bit i says that the overlap of the pair over
// their union exceeds the threshold. A box is (x, y, width, height). UPPER_ONLY skips the blocks below the diagonal.
__device__ __forceinline__ float iou(float4 a, float4 b)
{
    const float left = fmaxf(a.x, b.x), right = fminf(a.z, b.z);
    const float top = fmaxf(a.y, b.y), bottom = fminf(a.w, b.w);
    const float inter = fmaxf(right - left, 0.0f) * fmaxf(bottom - top, 0.0f);
    const float all = (a.z - a.x) * (a.w - a.y) + (b.z - b.x) * (b.w - b.y) - inter;
    return FAST_DIV ? __fdividef(inter, all) : inter / all;
}

__device__ __forceinline__ float4 box(const float4* corners, int i)
{
    const float4 v = corners[i];
    return make_float4(v.x, v.y, v.x + 0.2f * v.z + 0.01f, v.y + 0.2f * v.w + 0.01f);
}

extern "C" __global__ void nms_bitmask(const float4* __restrict__ corners, unsigned long long* __restrict__ mask,
                                       float threshold)
{
    const int row_start = blockIdx.y, col_start = blockIdx.x;
    if (UPPER_ONLY && row_start > col_start) return;
#if IN_SHARED
    __shared__ float4 block_boxes[64];
    block_boxes[threadIdx.x] = box(corners, col_start * 64 + threadIdx.x);
    __syncthreads();
#endif
    const int mine = row_start * 64 + threadIdx.x;
    const float4 cur = box(corners, mine);
    unsigned long long t = 0;
    const int start = row_start == col_start ? threadIdx.x + 1 : 0;
    for (int i = start; i < 64; i++) {
#if IN_SHARED
        const float4 other = block_boxes[i];
#else
        const float4 other = box(corners, col_start * 64 + i);
#endif
        if (iou(cur, other) > threshold) t |= 1ULL << i;
    }
    mask[(long long)mine * (BOXES / 64) + col_start] = t;
}
