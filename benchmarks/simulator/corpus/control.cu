// Control flow: calls, recursion, tables, divergence, persistent blocks, look-back, local arrays.
#include <cassert>
#include <cstdio>
#define T threadIdx.x

__device__ __noinline__ int ackermann(int m, int n) {
    return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}
extern "C" __global__ void recursion(int* out) { out[T] = ackermann(T % 3, T % 5); }

__device__ void quicksort(int* a, int low, int high) {
    if (low >= high) return;
    int pivot = a[(low + high) / 2], i = low, j = high;
    while (i <= j) {
        while (a[i] < pivot) ++i;
        while (a[j] > pivot) --j;
        if (i <= j) { int t = a[i]; a[i++] = a[j]; a[j--] = t; }
    }
    quicksort(a, low, j);
    quicksort(a, i, high);
}
extern "C" __global__ void recursive_quicksort(int* a) { quicksort(a + 16 * T, 0, 15); }

__device__ int twice(int x) { return 2 * x; }
__device__ int squared(int x) { return x * x; }
__device__ int negative(int x) { return -x; }
__device__ int plus_one(int x) { return x + 1; }
typedef int (*Function)(int);
__device__ Function functions[4] = {twice, squared, negative, plus_one};
extern "C" __global__ void function_pointers(const int* x, int* out) {
    int v = x[T];
    for (int k = 0; k < 3; ++k) v = functions[(T + v + k) & 3](v);
    out[T] = v;
}

struct Shape {
    int a;
    __device__ Shape(int a) : a(a) {}
    __device__ virtual int area() const { return 0; }
};
struct Square : Shape {
    __device__ Square(int a) : Shape(a) {}
    __device__ int area() const override { return a * a; }
};
struct Oblong : Shape {
    int b;
    __device__ Oblong(int a, int b) : Shape(a), b(b) {}
    __device__ int area() const override { return a * b; }
};
extern "C" __global__ void virtual_functions(int* out) {
    Square s(T);
    Oblong o(T, 3);
    const Shape* shapes[2] = {&s, &o};
    out[T] = shapes[T & 1]->area();
}

extern "C" __global__ void interpreter(const unsigned char* code, int* out) {
    int stack[8], top = 0, pc = 0;
    stack[0] = T;
    for (;;) {
        switch (code[pc++]) {
            case 0: out[T] = stack[top]; return;
            case 1: stack[++top] = code[pc++]; break;
            case 2: --top; stack[top] += stack[top + 1]; break;
            case 3: --top; stack[top] *= stack[top + 1]; break;
            case 4: stack[top + 1] = stack[top]; ++top; break;
            case 5: stack[top] -= 1; break;
            case 6: if (stack[top--] > 0) pc = code[pc]; else ++pc; break;
            case 7: { int t = stack[top]; stack[top] = stack[top - 1]; stack[top - 1] = t; break; }
        }
    }
}

extern "C" __global__ void nested_breaks(const int* x, int* out) {
    int count = 0;
    for (int i = 0; i < 8; ++i) {
        for (int j = 0; j < 8; ++j) {
            int v = x[(T + i * 8 + j) & 63];
            if (v == 3) continue;
            if (v == 7) goto next;
            if (v == 9) { out[T] = -count; return; }
            count += v;
        }
    next:;
    }
    out[T] = count;
}

extern "C" __global__ void irreducible(const int* x, int* out) {
    int v = x[T], steps = 0;
    if (v & 1) goto odd;
even:
    v /= 2;
    if (++steps > 40 || v <= 1) goto done;
    if (!(v & 1)) goto even;
odd:
    v = 3 * v + 1;
    if (++steps <= 40) goto even;
done:
    out[T] = steps * 1000 + (v & 255);
}

template <typename F> __device__ int fold(const int* x, int n, F f) {
    int v = x[0];
    for (int i = 1; i < n; ++i) v = f(v, x[i]);
    return v;
}
template <typename... A> __device__ int sum_of(A... a) { return (a + ... + 0); }
extern "C" __global__ void lambdas_and_packs(const int* x, int* out) {
    int offset = T;
    auto f = [=](int a, int b) { return (a * 31 + b) ^ offset; };
    out[T] = sum_of(fold(x, 7, f), offset, x[T], 4);
}

extern "C" __global__ void local_array(const int* x, int* out) {
    int local[24];
    for (int k = 0; k < 24; ++k) local[k] = x[(T + k) & 63];
    for (int k = 0; k < 48; ++k) {
        int a = (x[k] + T) % 24, b = (x[63 - k] * 5 + T) % 24, t = local[a];
        local[a] = local[b];
        local[b] = t + 1;
    }
    int v = 0;
    for (int k = 0; k < 24; ++k) v = v * 3 + local[k];
    out[T] = v;
}

struct Node { short value, left, right; };
extern "C" __global__ void tree_walk_with_stack(const Node* nodes, const int* keys, int* out) {
    int stack[16], top = 0, sum = 0;
    stack[top++] = 0;
    while (top) {
        Node n = nodes[stack[--top]];
        if (n.value <= keys[T]) sum += n.value;
        if (n.left >= 0) stack[top++] = n.left;
        if (n.right >= 0 && n.value <= keys[T]) stack[top++] = n.right;
    }
    out[T] = sum;
}

extern "C" __global__ void persistent_blocks(const int* x, int* next, int* out, int tiles) {
    __shared__ int tile;
    for (;;) {
        if (T == 0) tile = atomicAdd(next, 1);
        __syncthreads();
        int mine = tile;
        __syncthreads();
        if (mine >= tiles) break;
        int v = x[mine * blockDim.x + T];
        for (int k = 0; k < mine % 3; ++k) v = v * 7 + k;
        out[mine * blockDim.x + T] = v;
    }
}

// Decoupled look-back: each block takes a tile in order and waits for the prefix of those before.
extern "C" __global__ void look_back_scan(const int* x, int* out, volatile long long* states, int* next) {
    __shared__ int sums[64], tile, before;
    if (T == 0) tile = atomicAdd(next, 1);
    __syncthreads();
    int own = x[tile * 64 + T];
    sums[T] = own;
    for (int d = 1; d < 64; d *= 2) {
        __syncthreads();
        int below = T >= d ? sums[T - d] : 0;
        __syncthreads();
        sums[T] += below;
    }
    __syncthreads();
    if (T == 0) {
        long long total = sums[63];
        states[tile] = (tile ? 1ll : 2ll) << 40 | total;
        __threadfence();
        int prefix = 0;
        for (int t = tile - 1; t >= 0;) {
            long long state = states[t];
            if (state >> 40 == 0) continue;
            prefix += (int)(state & 0xffffffffll);
            if (state >> 40 == 2) break;
            --t;
        }
        if (tile) states[tile] = 2ll << 40 | (prefix + total);
        before = prefix;
    }
    __syncthreads();
    out[tile * 64 + T] = sums[T] + before;
}

extern "C" __global__ void early_exits(const int* x, int* out) {
    if (x[T] < 10) return;
    __shared__ int s;
    if (T == 63) s = 5;
    __syncthreads();
    unsigned rest = __activemask();
    if (x[T] > 90) return;
    out[T] = s + x[T] + (rest != 0);
}

extern "C" __global__ void uneven_loops(const int* x, int* out) {
    int v = x[T], sum = 0;
    while (v > 1) {
        v = v & 1 ? 3 * v + 1 : v / 2;
        if (++sum > 200) break;
    }
    sum += __popc(__ballot_sync(0xffffffffu, sum > 20)) * 1000;
    out[T] = sum;
}

extern "C" __global__ void many_cases(const int* x, int* out) {
    int v = x[T];
    switch (v % 12) {
        case 0: v += 11; break;
        case 1: v *= 5; // falls through
        case 2: v ^= 77; break;
        case 3: v = -v; break;
        case 5: v <<= 3; break;
        case 6: v = v * v; break;
        case 7: v |= 512; // falls through
        case 8: v -= 3; break;
        case 10: v = v % 7 * 13; break;
        default: v = 1;
    }
    out[T] = v;
}

extern "C" __global__ void untaken_checks(const int* x, int* out) {
    int v = x[T];
    if (v < -5) {
        printf("%d is too small\n", v);
        __trap();
    }
    assert(v < 1000);
    out[T] = v + 1;
}
