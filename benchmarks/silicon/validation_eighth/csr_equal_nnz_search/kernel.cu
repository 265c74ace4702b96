// 2,097,152 entries in 131,072 rows of random lengths; entries before the first row count to it, those after the last to that.
constexpr int ROWS = 131072;

extern "C" __global__ void __launch_bounds__(256)
csr_equal_nnz_search(const int* __restrict__ ptr, const int* __restrict__ cols, const float* __restrict__ vals,
                     const float* __restrict__ x, float* __restrict__ y)
{
    const int first = (blockIdx.x * 256 + threadIdx.x) * ITEMS;
    int c[ITEMS];
    float v[ITEMS];
    if (VEC == 4) {
#pragma unroll
        for (int i = 0; i < ITEMS; i += 4) {
            const int4 p = *reinterpret_cast<const int4*>(cols + first + i);
            const float4 q = *reinterpret_cast<const float4*>(vals + first + i);
            c[i] = p.x, c[i + 1] = p.y, c[i + 2] = p.z, c[i + 3] = p.w;
            v[i] = q.x, v[i + 1] = q.y, v[i + 2] = q.z, v[i + 3] = q.w;
        }
    } else {
#pragma unroll
        for (int i = 0; i < ITEMS; ++i) {
            c[i] = cols[first + i];
            v[i] = vals[first + i];
        }
    }
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) v[i] *= x[c[i]];
    int low = 0, high = ROWS - 1;  // the last row that starts at or before the first entry
    while (low < high) {
        const int mid = (low + high + 1) / 2;
        if (ptr[mid] <= first) low = mid;
        else high = mid - 1;
    }
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
        if (low < ROWS - 1 && ptr[low + 1] <= first + i) {
            atomicAdd(y + low, sum);
            sum = 0.0f;
            do ++low;
            while (low < ROWS - 1 && ptr[low + 1] <= first + i);
        }
        sum += v[i];
    }
    if (JOINED) {
        const int lane = threadIdx.x % 32;
#pragma unroll
        for (int d = 1; d < 32; d *= 2) {
            const float s = __shfl_up_sync(~0u, sum, d);
            const int r = __shfl_up_sync(~0u, low, d);
            if (lane >= d && r == low) sum += s;
        }
        const int next = __shfl_down_sync(~0u, low, 1);
        if (lane == 31 || next != low) atomicAdd(y + low, sum);
    } else {
        atomicAdd(y + low, sum);
    }
}
