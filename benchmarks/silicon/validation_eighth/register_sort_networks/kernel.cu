// 4,194,304 numbers in groups of N. METHOD: 0 bitonic, 1 odd-even transposition, 2 insertion without branches.
constexpr int COUNT = 4194304 / N;

__device__ __forceinline__ void order(int& a, int& b)
{
    const int low = min(a, b);
    b = max(a, b);
    a = low;
}

extern "C" __global__ void __launch_bounds__(128)
register_sort_networks(const int* __restrict__ x, int* __restrict__ y)
{
    const int i = blockIdx.x * 128 + threadIdx.x;
    int v[N];
    if (TOGETHER) {
#pragma unroll
        for (int k = 0; k < N; k += 4) {
            const int4 p = *reinterpret_cast<const int4*>(x + i * N + k);
            v[k] = p.x, v[k + 1] = p.y, v[k + 2] = p.z, v[k + 3] = p.w;
        }
    } else {
#pragma unroll
        for (int k = 0; k < N; ++k) v[k] = x[k * COUNT + i];
    }
    if (METHOD == 0) {
#pragma unroll
        for (int size = 2; size <= N; size *= 2)
#pragma unroll
            for (int d = size / 2; d; d /= 2)
#pragma unroll
                for (int k = 0; k < N; ++k)
                    if (!(k & d)) {
                        if (k & size) order(v[k + d], v[k]);
                        else order(v[k], v[k + d]);
                    }
    } else if (METHOD == 1) {
#pragma unroll
        for (int s = 0; s < N; ++s)
#pragma unroll
            for (int k = s % 2; k + 1 < N; k += 2) order(v[k], v[k + 1]);
    } else {
#pragma unroll
        for (int s = 1; s < N; ++s)
#pragma unroll
            for (int k = 0; k < s; ++k) order(v[k], v[s]);
    }
    if (TOGETHER) {
#pragma unroll
        for (int k = 0; k < N; k += 4) *reinterpret_cast<int4*>(y + i * N + k) = make_int4(v[k], v[k + 1], v[k + 2], v[k + 3]);
    } else {
#pragma unroll
        for (int k = 0; k < N; ++k) y[k * COUNT + i] = v[k];
    }
}
