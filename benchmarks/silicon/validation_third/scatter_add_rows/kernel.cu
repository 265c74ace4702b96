// Messages of a graph network: the features of an edge's source, weighted or not, are added to those of its target.
constexpr int LANES = DIM / VEC;

extern "C" __global__ void scatter_add_rows(const int* __restrict__ source, const int* __restrict__ target,
                                            const float* __restrict__ weight, const float* __restrict__ features,
                                            float* __restrict__ out, int edges)
{
    const int thread = blockIdx.x * THREADS + threadIdx.x, edge = thread / LANES, d = thread % LANES * VEC;
    if (edge >= edges) return;
    const float w = WEIGHTED ? weight[edge] : 1.0f;
    const float* from = features + (size_t)source[edge] * DIM + d;
    float* to = out + (size_t)target[edge] * DIM + d;
#if VEC == 4
    const float4 v = *reinterpret_cast<const float4*>(from);
    atomicAdd(to, w * v.x);
    atomicAdd(to + 1, w * v.y);
    atomicAdd(to + 2, w * v.z);
    atomicAdd(to + 3, w * v.w);
#else
    atomicAdd(to, w * *from);
#endif
}
