// Whole algorithms of one or few blocks.
#define T threadIdx.x
#define ALL 0xffffffffu
#define INFINITY __int_as_float(0x7f800000)

extern "C" __global__ void multiply_tiled(const float* a, const float* b, float* c) {
    __shared__ float sa[16][17], sb[16][17];
    int row = blockIdx.y * 16 + threadIdx.x / 16, column = blockIdx.x * 16 + T % 16;
    float sum = 0;
    for (int k = 0; k < 48; k += 16) {
        sa[T / 16][T % 16] = a[row * 48 + k + T % 16];
        sb[T / 16][T % 16] = b[(k + T / 16) * 32 + column];
        __syncthreads();
        for (int i = 0; i < 16; ++i) sum += sa[T / 16][i] * sb[i][T % 16];
        __syncthreads();
    }
    c[row * 32 + column] = sum;
}

extern "C" __global__ void softmax_online(const float* x, float* out) {
    float largest = -INFINITY, sum = 0;
    for (int c = T % 32; c < 100; c += 32) {
        float v = x[T / 32 * 100 + c], before = largest;
        largest = fmaxf(largest, v);
        sum = sum * expf(before - largest) + expf(v - largest);
    }
    for (int d = 16; d; d /= 2) {
        float other = __shfl_xor_sync(ALL, largest, d), others = __shfl_xor_sync(ALL, sum, d), both = fmaxf(largest, other);
        sum = sum * expf(largest - both) + others * expf(other - both);
        largest = both;
    }
    for (int c = T % 32; c < 100; c += 32) out[T / 32 * 100 + c] = expf(x[T / 32 * 100 + c] - largest) / sum;
}

extern "C" __global__ void layer_norm(const float* x, const float* gain, float* out) {
    __shared__ float parts[2][4];
    float v = x[blockIdx.x * 128 + T], sum = v, squares = v * v;
    for (int d = 16; d; d /= 2) sum += __shfl_xor_sync(ALL, sum, d), squares += __shfl_xor_sync(ALL, squares, d);
    if (T % 32 == 0) parts[0][T / 32] = sum, parts[1][T / 32] = squares;
    __syncthreads();
    sum = squares = 0;
    for (int w = 0; w < 4; ++w) sum += parts[0][w], squares += parts[1][w];
    float mean = sum / 128, variance = squares / 128 - mean * mean;
    out[blockIdx.x * 128 + T] = (v - mean) * rsqrtf(variance + 1e-5f) * gain[T];
}

extern "C" __global__ void attention(const float* q, const float* k, const float* v, float* out) {
    __shared__ float sk[16][16], sv[16][16];
    float own[16], acc[16] = {}, largest = -INFINITY, sum = 0;
    for (int d = 0; d < 16; ++d) own[d] = q[T * 16 + d];
    for (int tile = 0; tile < 4; ++tile) {
        __syncthreads();
        for (int i = T; i < 256; i += 64) sk[i / 16][i % 16] = k[tile * 256 + i], sv[i / 16][i % 16] = v[tile * 256 + i];
        __syncthreads();
        for (int j = 0; j < 16 && tile * 16 + j <= T; ++j) {
            float s = 0;
            for (int d = 0; d < 16; ++d) s += own[d] * sk[j][d];
            float bigger = fmaxf(largest, s * 0.25f), scale = __expf(largest - bigger), p = __expf(s * 0.25f - bigger);
            sum = sum * scale + p;
            for (int d = 0; d < 16; ++d) acc[d] = acc[d] * scale + p * sv[j][d];
            largest = bigger;
        }
    }
    for (int d = 0; d < 16; ++d) out[T * 16 + d] = acc[d] / sum;
}

extern "C" __global__ void sparse_rows(const int* starts, const int* columns, const float* values, const float* x, float* out) {
    int row = T / 8, lane = T % 8;
    float sum = 0;
    for (int j = starts[row] + lane; j < starts[row + 1]; j += 8) sum += values[j] * x[columns[j]];
    for (int d = 4; d; d /= 2) sum += __shfl_down_sync(ALL, sum, d, 8);
    if (lane == 0) out[row] = sum;
}

extern "C" __global__ void breadth_first(const int* starts, const int* neighbours, int* depth) {
    __shared__ int frontier[64], next[64], count, found;
    if (T == 0) frontier[0] = 0, count = 1, depth[0] = 0;
    __syncthreads();
    for (int level = 1; count; ++level) {
        if (T == 0) found = 0;
        __syncthreads();
        for (int i = T; i < count; i += blockDim.x)
            for (int e = starts[frontier[i]]; e < starts[frontier[i] + 1]; ++e)
                if (atomicCAS(&depth[neighbours[e]], -1, level) == -1) next[atomicAdd(&found, 1)] = neighbours[e];
        __syncthreads();
        for (int i = T; i < found; i += blockDim.x) frontier[i] = next[i];
        if (T == 0) count = found;
        __syncthreads();
    }
}

extern "C" __global__ void fourier(const float2* x, float2* out) {
    __shared__ float2 s[64];
    s[__brev(T) >> 26] = x[T];
    for (int size = 2; size <= 64; size *= 2) {
        __syncthreads();
        if (T < 32) {
            int k = T % (size / 2), a = T / (size / 2) * size + k, b = a + size / 2;
            float sine, cosine;
            sincospif(-2.f * k / size, &sine, &cosine);
            float2 v = s[b], w = make_float2(v.x * cosine - v.y * sine, v.x * sine + v.y * cosine), u = s[a];
            s[a] = make_float2(u.x + w.x, u.y + w.y), s[b] = make_float2(u.x - w.x, u.y - w.y);
        }
    }
    __syncthreads();
    out[T] = s[T];
}

extern "C" __global__ void all_shortest_paths(int* d) {
    __shared__ int s[16][16];
    s[T / 16][T % 16] = d[T];
    for (int k = 0; k < 16; ++k) {
        __syncthreads();
        int through = s[T / 16][k] + s[k][T % 16];
        __syncthreads();
        s[T / 16][T % 16] = min(s[T / 16][T % 16], through);
    }
    d[T] = s[T / 16][T % 16];
}

extern "C" __global__ void edit_distance(const char* a, const char* b, int* out) {
    __shared__ int rows[3][33];
    for (int diagonal = 0; diagonal <= 64; ++diagonal) {
        int *now = rows[diagonal % 3], *last = rows[(diagonal + 2) % 3], *before = rows[(diagonal + 1) % 3];
        int i = T, j = diagonal - i;
        if (i <= 32 && j >= 0 && j <= 32) {
            if (i == 0 || j == 0) now[i] = i + j;
            else now[i] = min(min(last[i - 1], last[i]) + 1, before[i - 1] + (a[i - 1] != b[j - 1]));
            if (i == 32 && j == 32) *out = now[i];
        }
        __syncthreads();
    }
}

extern "C" __global__ void game_of_life(const unsigned char* in, unsigned char* out, int rounds) {
    __shared__ unsigned char s[2][18][18];
    for (int i = T; i < 2 * 18 * 18; i += blockDim.x) ((unsigned char*)s)[i] = 0;
    __syncthreads();
    int y = T / 16 + 1, x = T % 16 + 1;
    s[0][y][x] = in[T];
    for (int r = 0; r < rounds; ++r) {
        __syncthreads();
        auto& g = s[r & 1];
        int n = g[y - 1][x - 1] + g[y - 1][x] + g[y - 1][x + 1] + g[y][x - 1] + g[y][x + 1] + g[y + 1][x - 1] + g[y + 1][x] + g[y + 1][x + 1];
        s[r & 1 ^ 1][y][x] = n == 3 || (n == 2 && g[y][x]);
    }
    __syncthreads();
    out[T] = s[rounds & 1][y][x];
}

extern "C" __global__ void merge_by_paths(const int* a, const int* b, int* out) {
    int diagonal = T * 4, low = max(0, diagonal - 128), high = min(diagonal, 128);
    while (low < high) {
        int middle = (low + high) / 2;
        if (a[middle] <= b[diagonal - 1 - middle]) low = middle + 1;
        else high = middle;
    }
    int i = low, j = diagonal - low;
    for (int k = 0; k < 4; ++k) out[diagonal + k] = j >= 128 || (i < 128 && a[i] <= b[j]) ? a[i++] : b[j++];
}

extern "C" __global__ void nearest_centre(const float4* points, const float4* centres, int* out, int* sizes) {
    __shared__ float4 s[8];
    if (T < 8) s[T] = centres[T];
    __syncthreads();
    float4 p = points[T];
    float best = INFINITY;
    int at = 0;
    for (int c = 0; c < 8; ++c) {
        float dx = p.x - s[c].x, dy = p.y - s[c].y, dz = p.z - s[c].z, d = dx * dx + dy * dy + dz * dz;
        if (d < best) best = d, at = c;
    }
    out[T] = at;
    atomicAdd(&sizes[at], 1);
}

extern "C" __global__ void stencil(const float* x, float* out) {
    __shared__ float s[128 + 6];
    int i = blockIdx.x * 128 + T;
    s[T + 3] = x[i + 3];
    if (T < 3) s[T] = x[i], s[T + 131] = x[i + 131];
    __syncthreads();
    float v = 0;
    for (int k = 0; k < 7; ++k) v += s[T + k] * (k + 1);
    out[i] = v;
}

extern "C" __global__ void mandelbrot(int* out) {
    float cx = T % 16 * 0.1875f - 2.f, cy = T / 16 * 0.25f - 1.f, x = 0, y = 0;
    int n = 0;
    for (; n < 64 && __fadd_rn(__fmul_rn(x, x), __fmul_rn(y, y)) < 4.f; ++n) {
        float t = __fadd_rn(__fsub_rn(__fmul_rn(x, x), __fmul_rn(y, y)), cx);
        y = __fadd_rn(__fmul_rn(__fmul_rn(2.f, x), y), cy);
        x = t;
    }
    out[T] = n;
}

extern "C" __global__ void hash_table(const unsigned* keys, unsigned* table, int* found) {
    unsigned slot = keys[T] * 2654435769u >> 24;
    while (true) {
        unsigned old = atomicCAS(&table[slot], 0xffffffffu, keys[T]);
        if (old == 0xffffffffu || old == keys[T]) break;
        slot = slot + 1 & 255;
    }
    __syncthreads();
    unsigned wanted = keys[T] + (T & 1), at = wanted * 2654435769u >> 24;
    while (table[at] != 0xffffffffu && table[at] != wanted) at = at + 1 & 255;
    found[T] = table[at] == wanted;
}
