// Assignment step of k-means: a point a thread in registers, stored dimension by dimension.
// Centroids are read as broadcasts from memory or from shared memory.
extern "C" __global__ void kmeans_assign(const float* __restrict__ points, const float* __restrict__ centroids,
                                         int* __restrict__ nearest, float* __restrict__ distance) {
    __shared__ float shared[USE_SHARED ? CLUSTERS * DIMS : 1];
    if (USE_SHARED) {
        for (int i = threadIdx.x; i < CLUSTERS * DIMS; i += BLOCK_SIZE) shared[i] = centroids[i];
        __syncthreads();
    }
    const float* center = USE_SHARED ? shared : centroids;
    int i = blockIdx.x * BLOCK_SIZE + threadIdx.x, best = 0;
    float p[DIMS], least = 1e30f;
#pragma unroll
    for (int d = 0; d < DIMS; ++d) p[d] = points[d * 524288 + i];
#pragma unroll 4
    for (int c = 0; c < CLUSTERS; ++c) {
        float sum = 0.0f;
#pragma unroll
        for (int d = 0; d < DIMS; ++d) {
            float t = p[d] - center[c * DIMS + d];
            sum = fmaf(t, t, sum);
        }
        if (sum < least) {
            least = sum;
            best = c;
        }
    }
    nearest[i] = best;
    distance[i] = least;
}
