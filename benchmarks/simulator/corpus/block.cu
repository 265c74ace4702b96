// Primitives of a block as in CUB: reductions, scans, sorts, exchanges, run lengths, selections.
#define ALL 0xffffffffu
#define T threadIdx.x

extern "C" __global__ void reduce_tree(const float* x, float* out) {
    __shared__ float s[256];
    s[T] = x[blockIdx.x * 256 + T];
    for (int d = 128; d; d /= 2) {
        __syncthreads();
        if (T < d) s[T] += s[T + d];
    }
    if (T == 0) out[blockIdx.x] = s[0];
}

__device__ int block_sum(int v) {
    __shared__ int parts[8];
    for (int d = 16; d; d /= 2) v += __shfl_down_sync(ALL, v, d);
    if (T % 32 == 0) parts[T / 32] = v;
    __syncthreads();
    v = T < 8 ? parts[T] : 0;
    if (T < 32)
        for (int d = 4; d; d /= 2) v += __shfl_down_sync(ALL, v, d);
    if (T == 0) parts[0] = v;
    __syncthreads();
    v = parts[0];
    __syncthreads();
    return v;
}

extern "C" __global__ void reduce_warps(const int* x, int* out) {
    int sum = block_sum(x[T]), squares = block_sum(x[T] * x[T]);
    if (T == 0) out[0] = sum, out[1] = squares;
}

extern "C" __global__ void reduce_raking(const int* x, int* out) {
    __shared__ int s[256 + 32];
    s[T + T / 8] = x[T];
    __syncthreads();
    if (T < 32) {
        int v = 0;
        for (int k = 0; k < 8; ++k) v += s[T * 9 + k];
        for (int d = 16; d; d /= 2) v += __shfl_xor_sync(ALL, v, d);
        if (T == 0) out[0] = v;
    }
}

extern "C" __global__ void scan_hillis_steele(const int* x, int* out) {
    __shared__ int s[2][256];
    int in = 0;
    s[0][T] = x[T];
    for (int d = 1; d < 256; d *= 2, in ^= 1) {
        __syncthreads();
        s[in ^ 1][T] = s[in][T] + (T >= d ? s[in][T - d] : 0);
    }
    __syncthreads();
    out[T] = s[in][T];
}

extern "C" __global__ void scan_blelloch(const int* x, int* out) {
    __shared__ int s[512];
    s[2 * T] = x[2 * T], s[2 * T + 1] = x[2 * T + 1];
    int offset = 1;
    for (int d = 256; d; d /= 2, offset *= 2) {
        __syncthreads();
        if (T < d) s[offset * (2 * T + 2) - 1] += s[offset * (2 * T + 1) - 1];
    }
    if (T == 0) s[511] = 0;
    for (int d = 1; d < 512; d *= 2) {
        offset /= 2;
        __syncthreads();
        if (T < d) {
            int a = offset * (2 * T + 1) - 1, b = offset * (2 * T + 2) - 1, t = s[a];
            s[a] = s[b];
            s[b] += t;
        }
    }
    __syncthreads();
    out[2 * T] = s[2 * T], out[2 * T + 1] = s[2 * T + 1];
}

__device__ int block_scan_exclusive(int v, int* total) {
    __shared__ int sums[9];
    int own = v;
    for (int d = 1; d < 32; d *= 2) {
        int below = __shfl_up_sync(ALL, v, d);
        if (T % 32 >= d) v += below;
    }
    if (T % 32 == 31) sums[T / 32] = v;
    __syncthreads();
    if (T == 0) {
        int sum = 0;
        for (int w = 0; w < 8; ++w) { int t = sums[w]; sums[w] = sum; sum += t; }
        sums[8] = sum;
    }
    __syncthreads();
    v += sums[T / 32] - own;
    *total = sums[8];
    __syncthreads();
    return v;
}

extern "C" __global__ void scan_warps(const int* x, int* out) {
    int total;
    out[T] = block_scan_exclusive(x[T], &total);
    if (T == 0) out[256] = total;
}

extern "C" __global__ void radix_sort(const unsigned* x, unsigned* out) {
    __shared__ unsigned s[256];
    unsigned key = x[T];
    for (int bit = 0; bit < 32; ++bit) {
        int total, one = key >> bit & 1;
        int zeros_before = block_scan_exclusive(1 - one, &total);
        int to = one ? total + (int)T - zeros_before : zeros_before;
        s[to] = key;
        __syncthreads();
        key = s[T];
        __syncthreads();
    }
    out[T] = key;
}

extern "C" __global__ void radix_rank_4_bits(const unsigned* x, int* out) {
    __shared__ int counts[16][256];
    unsigned digit = x[T] & 15;
    for (int d = 0; d < 16; ++d) counts[d][T] = digit == d;
    __syncthreads();
    int base = 0;
    for (int d = 0; d < 16; ++d) {
        int total, before = block_scan_exclusive(counts[d][T], &total);
        if (digit == d) out[T] = base + before;
        base += total;
    }
}

extern "C" __global__ void odd_even_merge_sort(const int* x, int* out) {
    __shared__ int s[256];
    s[T] = x[T];
    __syncthreads();
    for (int p = 1; p < 256; p *= 2)
        for (int k = p; k; k /= 2) {
            int a = T, b = T + k;
            bool pair = a >= k % p && (a - k % p) % (2 * k) < k && b < 256 && a / (2 * p) == b / (2 * p);
            int low = 0, high = 0;
            if (pair) low = min(s[a], s[b]), high = max(s[a], s[b]);
            __syncthreads();
            if (pair) s[a] = low, s[b] = high;
            __syncthreads();
        }
    out[T] = s[T];
}

extern "C" __global__ void bitonic_sort_pairs(const int* keys, int* out_keys, int* out_values) {
    __shared__ int k[256], v[256];
    k[T] = keys[T], v[T] = T;
    for (int size = 2; size <= 256; size *= 2)
        for (int d = size / 2; d; d /= 2) {
            __syncthreads();
            int other = T ^ d;
            if (other > T) {
                bool up = (T & size) == 0;
                bool greater = k[T] > k[other] || (k[T] == k[other] && v[T] > v[other]);
                if (greater == up) {
                    int t = k[T]; k[T] = k[other]; k[other] = t;
                    t = v[T]; v[T] = v[other]; v[other] = t;
                }
            }
        }
    __syncthreads();
    out_keys[T] = k[T], out_values[T] = v[T];
}

extern "C" __global__ void histogram(const unsigned char* x, int* out, int n) {
    __shared__ int bins[64];
    if (T < 64) bins[T] = 0;
    __syncthreads();
    for (int i = blockIdx.x * 256 + T; i < n; i += gridDim.x * 256) atomicAdd(&bins[x[i] & 63], 1);
    __syncthreads();
    if (T < 64) atomicAdd(&out[T], bins[T]);
}

extern "C" __global__ void exchange_striped_to_blocked(const int* x, int* out) {
    __shared__ int s[256 * 4];
    for (int k = 0; k < 4; ++k) s[k * 256 + T] = x[k * 256 + T];
    __syncthreads();
    int4 v = reinterpret_cast<int4*>(s)[T];
    out[T] = v.x - v.y + 2 * v.z - 3 * v.w;
}

extern "C" __global__ void run_length_encode(const int* x, int* values, int* lengths, int* runs) {
    __shared__ int starts[257];
    int total, head = T == 0 || x[T] != x[T - 1];
    int at = block_scan_exclusive(head, &total);
    if (head) starts[at] = T, values[at] = x[T];
    if (T == 0) starts[total] = 256, *runs = total;
    __syncthreads();
    if (T < total) lengths[T] = starts[T + 1] - starts[T];
}

extern "C" __global__ void adjacent_difference(const int* x, int* out) {
    __shared__ int s[256];
    s[T] = x[T];
    __syncthreads();
    out[T] = T ? s[T] - s[T - 1] : s[0];
}

extern "C" __global__ void select_if(const int* x, int* out, int* count) {
    int total, keep = x[T] % 3 == 0;
    int at = block_scan_exclusive(keep, &total);
    if (keep) out[at] = x[T];
    if (T == 0) *count = total;
}

extern "C" __global__ void top_four(const int* x, int* out) {
    __shared__ int best[256][4];
    int mine[4] = {-1, -1, -1, -1};
    for (int k = 0; k < 4; ++k) {
        int v = x[k * 256 + T];
#pragma unroll
        for (int j = 0; j < 4; ++j)
            if (v > mine[j]) { int t = mine[j]; mine[j] = v; v = t; }
    }
    for (int j = 0; j < 4; ++j) best[T][j] = mine[j];
    for (int d = 128; d; d /= 2) {
        __syncthreads();
        if (T < d) {
            int merged[4], a = 0, b = 0;
            for (int j = 0; j < 4; ++j) merged[j] = best[T][a] >= best[T + d][b] ? best[T][a++] : best[T + d][b++];
            for (int j = 0; j < 4; ++j) best[T][j] = merged[j];
        }
    }
    __syncthreads();
    if (T < 4) out[T] = best[0][T];
}
