// Primitives of one warp: reductions, scans, votes, sorting networks.
#define ALL 0xffffffffu
#define LANE (threadIdx.x & 31)

template <typename T> __device__ T warp_sum(T v) {
    for (int d = 16; d; d /= 2) v += __shfl_down_sync(ALL, v, d);
    return v;
}

extern "C" __global__ void reduce_down(const int* x, int* out) {
    int v = warp_sum(x[blockIdx.x * blockDim.x + threadIdx.x]);
    if (LANE == 0) out[(blockIdx.x * blockDim.x + threadIdx.x) / 32] = v;
}

extern "C" __global__ void reduce_butterfly_max(const float* x, float* out) {
    float v = x[threadIdx.x];
    for (int d = 1; d < 32; d *= 2) v = fmaxf(v, __shfl_xor_sync(ALL, v, d));
    out[threadIdx.x] = v;
}

extern "C" __global__ void scan_up(const int* x, int* out) {
    int v = x[threadIdx.x];
    for (int d = 1; d < 32; d *= 2) {
        int below = __shfl_up_sync(ALL, v, d);
        if (LANE >= d) v += below;
    }
    out[threadIdx.x] = v;
}

extern "C" __global__ void scan_exclusive_64(const long long* x, long long* out) {
    long long own = x[threadIdx.x], v = own;
    for (int d = 1; d < 32; d *= 2) {
        long long below = __shfl_up_sync(ALL, v, d);
        if (LANE >= d) v += below;
    }
    out[threadIdx.x] = v - own;
}

extern "C" __global__ void compact_by_ballot(const int* x, int* out, int* count) {
    int v = x[threadIdx.x];
    unsigned keep = __ballot_sync(ALL, v > 50);
    if (v > 50) out[threadIdx.x / 32 * 32 + __popc(keep & ((1u << LANE) - 1))] = v;
    if (LANE == 0) count[threadIdx.x / 32] = __popc(keep);
}

extern "C" __global__ void histogram_by_match(const int* x, int* bins) {
    int v = x[threadIdx.x] & 7;
    unsigned same = __match_any_sync(ALL, v);
    if (LANE == __ffs(same) - 1) atomicAdd(&bins[v], __popc(same));
}

extern "C" __global__ void segmented_sum(const int* x, const int* head, int* out) {
    int v = x[threadIdx.x];
    unsigned heads = __ballot_sync(ALL, head[threadIdx.x] || LANE == 0);
    int first = 31 - __clz(heads & (2u << LANE) - 1);
    for (int d = 1; d < 32; d *= 2) {
        int below = __shfl_up_sync(ALL, v, d);
        if ((int)LANE - d >= first) v += below;
    }
    out[threadIdx.x] = v;
}

extern "C" __global__ void bitonic_sort(const unsigned* x, unsigned* out) {
    unsigned v = x[threadIdx.x];
    for (int size = 2; size <= 32; size *= 2)
        for (int d = size / 2; d; d /= 2) {
            unsigned other = __shfl_xor_sync(ALL, v, d);
            bool up = (LANE & size) == 0, low = (LANE & d) == 0;
            v = up == low ? min(v, other) : max(v, other);
        }
    out[threadIdx.x] = v;
}

extern "C" __global__ void transpose_by_shuffle(const int* x, int* out) {
    int v[8], lane = LANE;
    for (int k = 0; k < 8; ++k) v[k] = x[k * 32 + lane];
    for (int k = 0; k < 8; ++k) out[k * 32 + lane] = __shfl_sync(ALL, v[k], (lane % 8) * 4 + lane / 8);
}

extern "C" __global__ void redux_all(const int* x, int* out) {
    int v = x[threadIdx.x];
    unsigned u = v;
    int r[8] = {__reduce_add_sync(ALL, v), __reduce_min_sync(ALL, v), __reduce_max_sync(ALL, v),
                (int)__reduce_min_sync(ALL, u), (int)__reduce_max_sync(ALL, u), (int)__reduce_and_sync(ALL, u | 3),
                (int)__reduce_or_sync(ALL, u), (int)__reduce_xor_sync(ALL, u)};
    if (LANE < 8) out[threadIdx.x / 32 * 8 + LANE] = r[LANE];
}

extern "C" __global__ void argmax(const float* x, int* out) {
    float v = x[threadIdx.x];
    int at = threadIdx.x;
    for (int d = 16; d; d /= 2) {
        float other = __shfl_down_sync(ALL, v, d);
        int there = __shfl_down_sync(ALL, at, d);
        if (other > v || (other == v && there < at)) v = other, at = there;
    }
    if (LANE == 0) out[threadIdx.x / 32] = at;
}

extern "C" __global__ void matrix_vector(const float* a, const float* x, float* out) {
    int row = threadIdx.x / 32;
    float sum = 0;
    for (int c = LANE; c < 96; c += 32) sum += a[row * 96 + c] * x[c];
    sum = warp_sum(sum);
    if (LANE == 0) out[row] = sum;
}

extern "C" __global__ void votes(const int* x, int* out) {
    int v = x[threadIdx.x], p;
    out[threadIdx.x] = __all_sync(ALL, v < 100) | __any_sync(ALL, v == 13) << 1 | (__match_all_sync(ALL, v / 128, &p) != 0) << 2 |
                       (__activemask() == ALL) << 3;
}

extern "C" __global__ void segments_of_eight(const int* x, int* out) {
    int v = x[threadIdx.x];
    for (int d = 4; d; d /= 2) v += __shfl_down_sync(ALL, v, d, 8);
    out[threadIdx.x] = __shfl_sync(ALL, v, 0, 8);
}

extern "C" __global__ void divergent_halves(const int* x, int* out) {
    int v = x[threadIdx.x];
    if (LANE < 16) {
        for (int d = 8; d; d /= 2) v += __shfl_xor_sync(0xffffu, v, d);
    } else {
        for (int d = 8; d; d /= 2) v = max(v, __shfl_xor_sync(0xffff0000u, v, d));
    }
    __syncwarp();
    out[threadIdx.x] = v;
}
