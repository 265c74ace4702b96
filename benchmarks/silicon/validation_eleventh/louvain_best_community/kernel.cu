// Each vertex looks for the community that its neighbours have most weight in: a thread compares all pairs (0), or a
// lane for each neighbour meets the others by shuffles (1).
constexpr int PER = GROUPED ? THREADS / DEGREE : THREADS;

extern "C" __global__ void __launch_bounds__(THREADS)
louvain_best_community(const int* __restrict__ neighbour, const float* __restrict__ weight, const int* __restrict__ community, int* __restrict__ best)
{
    if (GROUPED) {
        const int id = blockIdx.x * THREADS + threadIdx.x, lane = id % DEGREE;
        const int own = community[neighbour[id]];
        const float w = weight[id];
        float sum = w;
#pragma unroll
        for (int i = 1; i < DEGREE; ++i) {
            const int other = __shfl_sync(~0u, own, (lane + i) % DEGREE, DEGREE);
            const float v = __shfl_sync(~0u, w, (lane + i) % DEGREE, DEGREE);
            sum += other == own ? v : 0.0f;
        }
        int which = own;
#pragma unroll
        for (int d = DEGREE / 2; d; d >>= 1) {
            const float s = __shfl_xor_sync(~0u, sum, d);
            const int c = __shfl_xor_sync(~0u, which, d);
            const bool better = s > sum || (s == sum && c < which);
            sum = better ? s : sum;
            which = better ? c : which;
        }
        if (lane == 0) best[id / DEGREE] = which;
    } else {
        const int vertex = blockIdx.x * THREADS + threadIdx.x;
        int c[DEGREE];
        float w[DEGREE];
#pragma unroll
        for (int i = 0; i < DEGREE; i += 4) {
            const int4 n = *reinterpret_cast<const int4*>(neighbour + vertex * DEGREE + i);
            const float4 f = *reinterpret_cast<const float4*>(weight + vertex * DEGREE + i);
            c[i] = community[n.x];
            c[i + 1] = community[n.y];
            c[i + 2] = community[n.z];
            c[i + 3] = community[n.w];
            w[i] = f.x;
            w[i + 1] = f.y;
            w[i + 2] = f.z;
            w[i + 3] = f.w;
        }
        float top = -1.0f;
        int which = 0;
#pragma unroll
        for (int i = 0; i < DEGREE; ++i) {
            float sum = 0.0f;
#pragma unroll
            for (int j = 0; j < DEGREE; ++j) sum += c[j] == c[i] ? w[j] : 0.0f;
            const bool better = sum > top || (sum == top && c[i] < which);
            top = better ? sum : top;
            which = better ? c[i] : which;
        }
        best[vertex] = which;
    }
}
