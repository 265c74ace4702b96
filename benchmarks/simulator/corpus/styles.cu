// Kernels of many trades: signals, text, graphs, numbers beyond a word, games, finance, networks.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#define T threadIdx.x
#define N blockDim.x
typedef unsigned long long u64;

// A product of 256-bit numbers, column by column, with carries in PTX.
extern "C" __global__ void product_of_256_bits(const unsigned* a, const unsigned* b, unsigned* out) {
    unsigned r[16] = {};
    for (int i = 0; i < 8; ++i) {
        unsigned carry = 0, x = a[T * 8 + i];
        for (int j = 0; j < 8; ++j) {
            unsigned y = b[T * 8 + j];
            asm("{.reg .u32 c; mad.lo.cc.u32 %0, %2, %3, %0; madc.hi.u32 c, %2, %3, 0; add.cc.u32 %0, %0, %1; addc.u32 %1, c, 0;}"
                : "+r"(r[i + j]), "+r"(carry) : "r"(x), "r"(y));
        }
        r[i + 8] = carry;
    }
    for (int k = 0; k < 16; ++k) out[T * 16 + k] = r[k];
}

__device__ __forceinline__ u64 rotated(u64 v, int n) { return v << n | v >> (64 - n); }

// Keccak-f[1600], a state a thread.
extern "C" __global__ void keccak(u64* states) {
    u64 a[25], c[5];
    for (int i = 0; i < 25; ++i) a[i] = states[T * 25 + i];
    u64 lfsr = 1;
    for (int round = 0; round < 24; ++round) {
        for (int x = 0; x < 5; ++x) c[x] = a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20];
        for (int x = 0; x < 5; ++x)
            for (int y = 0; y < 25; y += 5) a[y + x] ^= c[(x + 4) % 5] ^ rotated(c[(x + 1) % 5], 1);
        u64 last = a[1];
        int x = 1, y = 0;
        for (int t = 0; t < 24; ++t) {
            int next = (2 * x + 3 * y) % 5;
            x = y, y = next;
            u64 kept = a[5 * y + x];
            a[5 * y + x] = rotated(last, (t + 1) * (t + 2) / 2 % 64);
            last = kept;
        }
        for (int y = 0; y < 25; y += 5) {
            u64 row[5];
            for (int x = 0; x < 5; ++x) row[x] = a[y + x];
            for (int x = 0; x < 5; ++x) a[y + x] = row[x] ^ (~row[(x + 1) % 5] & row[(x + 2) % 5]);
        }
        for (int j = 0; j < 7; ++j) {
            if (lfsr & 1) a[0] ^= 1ull << ((1 << j) - 1);
            lfsr = lfsr << 1 ^ (lfsr >> 7) * 0x171;
        }
    }
    for (int i = 0; i < 25; ++i) states[T * 25 + i] = a[i];
}

// Union by hooking onto smaller roots, with path halving; threads race, the components do not depend on it.
extern "C" __global__ void connected_components(const int2* edges, volatile int* parent, int* out, int count) {
    int u = edges[T].x, v = edges[T].y;
    while (true) {
        while (parent[u] != u) u = parent[u] = parent[parent[u]];
        while (parent[v] != v) v = parent[v] = parent[parent[v]];
        if (u == v) break;
        int high = max(u, v), low = min(u, v);
        if (atomicCAS((int*)parent + high, high, low) == high) break;
        u = high, v = low;
    }
    __syncthreads();
    for (int i = T; i < count; i += N) {
        int root = i;
        while (parent[root] != root) root = parent[root];
        out[i] = root;
    }
}

// The best local alignment, cells of an antidiagonal at once, packed scores.
extern "C" __global__ void local_alignment(const char* a, const char* b, int* best) {
    __shared__ int row[3][65];
    for (int k = 0; k < 3; ++k) row[k][T] = 0, row[k][64] = 0;
    int most = 0;
    __syncthreads();
    for (int d = 0; d < 127; ++d) {
        int i = T, j = d - (int)T, *now = row[d % 3], *one = row[(d + 2) % 3], *two = row[(d + 1) % 3];
        if (j >= 0 && j < 64) {
            int match = (i && j ? two[i - 1] : 0) + (a[i] == b[j] ? 3 : -2);
            int gap = max(i ? one[i - 1] : 0, j ? one[i] : 0) - 1;
            now[i] = max(max(match, gap), 0);
            most = max(most, now[i]);
        } else {
            now[i] = 0;
        }
        __syncthreads();
    }
    atomicMax(best, most);
}

// Canonical Huffman codes, one symbol after the other, a stream a thread.
extern "C" __global__ void huffman_decode(const unsigned* bits, const unsigned* first, const unsigned char* symbols, unsigned char* out, int count) {
    u64 window = 0;
    int left = 0, word = 0;
    for (int n = 0; n < count; ++n) {
        if (left <= 32) window |= (u64)bits[T * 16 + word++] << (32 - left), left += 32;
        unsigned code = 0, length = 0, base = 0;
        while (true) {
            code = code << 1 | (unsigned)(window >> 63), window <<= 1, --left, ++length;
            unsigned start = first[length * 2], number = first[length * 2 + 1];
            if (code - start < number) { out[T * count + n] = symbols[base + code - start]; break; }
            base += number;
        }
    }
}

// Symbols of text: valid UTF-8 starts, found by bytes in parallel.
extern "C" __global__ void utf8_lengths(const unsigned* text, int* out) {
    unsigned v = text[T], continuation = __vcmpeq4(v & 0xC0C0C0C0, 0x80808080);
    unsigned two = __vcmpeq4(v & 0xE0E0E0E0, 0xC0C0C0C0), three = __vcmpeq4(v & 0xF0F0F0F0, 0xE0E0E0E0);
    out[T] = 4 - __popc(continuation) / 8, out[N + T] = __popc(two) / 8 + 256 * (__popc(three) / 8);
    out[2 * N + T] = __vsadu4(v, __byte_perm(v, 0, 0x0123)), out[3 * N + T] = __vmaxs2(v, __vneg2(v)) ^ __vavgs4(v, ~v);
}

// A heap in local memory keeps the eight smallest.
extern "C" __global__ void smallest_eight(const float* x, float* out, int count) {
    float heap[8];
    int size = 0;
    for (int k = T; k < count; k += N) {
        float v = x[k];
        int i;
        if (size < 8) {
            for (i = size++; i > 0 && heap[(i - 1) / 2] < v; i = (i - 1) / 2) heap[i] = heap[(i - 1) / 2];
        } else {
            if (v >= heap[0]) continue;
            for (i = 0; 2 * i + 1 < 8;) {
                int child = 2 * i + 1 + (2 * i + 2 < 8 && heap[2 * i + 2] > heap[2 * i + 1]);
                if (heap[child] <= v) break;
                heap[i] = heap[child], i = child;
            }
        }
        heap[i] = v;
    }
    for (int n = size; n-- > 0;) {
        out[T * 8 + n] = heap[0];
        float v = heap[n];
        int i = 0;
        while (2 * i + 1 < n) {
            int child = 2 * i + 1 + (2 * i + 2 < n && heap[2 * i + 2] > heap[2 * i + 1]);
            if (heap[child] <= v) break;
            heap[i] = heap[child], i = child;
        }
        heap[i] = v;
    }
}

// Queens on a board, with bits, a start a thread, a stack of one's own.
extern "C" __global__ void queens(int n, int* solutions) {
    int all = (1 << n) - 1, first = T / n, second = T % n;
    if (first >= n || abs(first - second) < 2) return;
    int columns = 1 << first | 1 << second, left = (1 << first) << 2 | (1 << second) << 1, right = (1 << first) >> 2 | (1 << second) >> 1;
    int stack[16][4], depth = 0, found = 0;
    stack[0][0] = columns, stack[0][1] = left, stack[0][2] = right, stack[0][3] = all & ~(columns | left | right);
    while (depth >= 0) {
        int* top = stack[depth];
        if (top[0] == all) { ++found, --depth; continue; }
        if (!top[3]) { --depth; continue; }
        int bit = top[3] & -top[3];
        top[3] ^= bit;
        int* next = stack[++depth];
        next[0] = top[0] | bit, next[1] = (top[1] | bit) << 1, next[2] = (top[2] | bit) >> 1, next[3] = all & ~(next[0] | next[1] | next[2]);
    }
    atomicAdd(solutions, found);
}

// Rotary embedding of pairs of halves, as in an attention layer.
extern "C" __global__ void rotary(const __half2* x, __half2* out, int position) {
    float angle = position * exp2f(-(float)T * 13.2877f / 64), s, c;
    __sincosf(angle, &s, &c);
    float2 v = __half22float2(x[T]);
    out[T] = __floats2half2_rn(v.x * c - v.y * s, v.x * s + v.y * c);
}

// A binomial tree of an option's price in shared memory, one step after the other.
extern "C" __global__ void binomial_option(const float* strikes, float* prices) {
    __shared__ float value[129];
    float strike = strikes[blockIdx.x], up = 1.01f, p = 0.5025f, discount = 0.9999f;
    value[T] = fmaxf(100 * powf(up, 2 * (int)T - 128) - strike, 0);
    if (T == 0) value[128] = fmaxf(100 * powf(up, 128) - strike, 0);
    __syncthreads();
    for (int step = 127; step >= 0; --step) {
        float v = T <= step ? discount * (p * value[T + 1] + (1 - p) * value[T]) : 0;
        __syncthreads();
        if (T <= step) value[T] = v;
        __syncthreads();
    }
    if (T == 0) prices[blockIdx.x] = value[0];
}

// Elimination with the greatest pivot, a matrix a thread, indices that change as it runs.
extern "C" __global__ void solve_five(const double* a, const double* b, double* x) {
    double m[5][6];
    int at[5];
    for (int i = 0; i < 5; ++i) {
        for (int j = 0; j < 5; ++j) m[i][j] = a[(T * 5 + i) * 5 + j];
        m[i][5] = b[T * 5 + i], at[i] = i;
    }
    for (int k = 0; k < 5; ++k) {
        int best = k;
        for (int i = k + 1; i < 5; ++i)
            if (fabs(m[at[i]][k]) > fabs(m[at[best]][k])) best = i;
        int swapped = at[k];
        at[k] = at[best], at[best] = swapped;
        for (int i = k + 1; i < 5; ++i) {
            double f = m[at[i]][k] / m[at[k]][k];
            for (int j = k; j < 6; ++j) m[at[i]][j] -= f * m[at[k]][j];
        }
    }
    for (int k = 4; k >= 0; --k) {
        double s = m[at[k]][5];
        for (int j = k + 1; j < 5; ++j) s -= m[at[k]][j] * x[T * 5 + j];
        x[T * 5 + k] = s / m[at[k]][k];
    }
}

struct Shape {
    __device__ virtual float area(float v) const = 0;
};
struct Square : Shape {
    __device__ __noinline__ float area(float v) const override { return v * v; }
};
struct Ring : Shape {
    float inner;
    __device__ Ring(float inner) : inner(inner) {}
    __device__ __noinline__ float area(float v) const override {
        switch ((int)v & 7) {
            case 0: return inner;
            case 1: return v - inner;
            case 2: return v * 3 - inner;
            case 3: return inner * inner;
            case 4: return -v;
            case 5: return v / 4;
            default: return v + 100;
        }
    }
};

extern "C" __global__ void shapes(const float* x, float* out) {
    Square square;
    Ring ring(T * 0.5f);
    const Shape* all[2] = {&square, &ring};
    float sum = 0;
    for (int k = 0; k < 6; ++k) sum += all[(T + k) % 3 % 2]->area(x[(T + k) % N]);
    out[T] = sum;
}

// Scores of eight bits, quantised with a scale a row, back through a table of four-bit codes.
extern "C" __global__ void fp8_attention_scores(const float* q, const float* k, float* out) {
    float most = 0, sum = 0;
    for (int d = 0; d < 16; ++d) most = fmaxf(most, fabsf(q[T * 16 + d]));
    float scale = most / 448;
    for (int d = 0; d < 16; ++d) {
        __nv_fp8_e4m3 a(q[T * 16 + d] / scale);
        __nv_fp8_e5m2 b(k[d]);
        sum += (float)a * (float)b;
    }
    out[T] = sum * scale;
}

// Every lane meets volatile shared memory in the old style, without barriers in between.
extern "C" __global__ void warp_synchronous(const int* x, int* out) {
    __shared__ int s[64];
    volatile int* v = s;
    v[T] = x[T], v[T + 32] = x[T + 32];
    __syncwarp();
    for (int step = 32; step > 0; step /= 2) {
        int sum = v[T] + v[T + step];
        __syncwarp();
        v[T] = sum;
        __syncwarp();
    }
    if (T == 0) out[0] = v[0];
}
