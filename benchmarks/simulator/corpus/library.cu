// CUB, cooperative groups and libcu++ as they come with the compiler.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cub/block/block_adjacent_difference.cuh>
#include <cub/block/block_discontinuity.cuh>
#include <cub/block/block_exchange.cuh>
#include <cub/block/block_histogram.cuh>
#include <cub/block/block_load.cuh>
#include <cub/block/block_merge_sort.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_store.cuh>
#include <cub/block/block_shuffle.cuh>
#include <cub/warp/warp_merge_sort.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>
#include <cuda/atomic>
#include <cuda/std/array>
#include <cuda/std/bit>
#include <cuda/std/complex>
#include <cuda/std/tuple>
namespace cg = cooperative_groups;
#define T threadIdx.x
constexpr int N = 128, ITEMS = 4;

template <cub::BlockReduceAlgorithm algorithm>
__device__ int reduced(const int* x) {
    using Reduce = cub::BlockReduce<int, N, algorithm>;
    __shared__ typename Reduce::TempStorage room;
    int v[ITEMS];
    for (int k = 0; k < ITEMS; ++k) v[k] = x[T * ITEMS + k];
    return Reduce(room).Sum(v);
}

extern "C" __global__ void block_reductions(const int* x, int* out) {
    int a = reduced<cub::BLOCK_REDUCE_RAKING>(x), b = reduced<cub::BLOCK_REDUCE_WARP_REDUCTIONS>(x),
        c = reduced<cub::BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY>(x);
    if (T == 0) out[0] = a, out[1] = b, out[2] = c;
}

extern "C" __global__ void block_scans(const int* x, int* out) {
    using Raking = cub::BlockScan<int, N, cub::BLOCK_SCAN_RAKING>;
    using Warps = cub::BlockScan<int, N, cub::BLOCK_SCAN_WARP_SCANS>;
    __shared__ typename Raking::TempStorage a;
    __shared__ typename Warps::TempStorage b;
    int v[ITEMS], w[ITEMS], sum;
    for (int k = 0; k < ITEMS; ++k) v[k] = w[k] = x[T * ITEMS + k];
    Raking(a).ExclusiveSum(v, v, sum);
    Warps(b).InclusiveScan(w, w, [](int p, int q) { return p > q ? p : q; });
    for (int k = 0; k < ITEMS; ++k) out[T * ITEMS + k] = v[k], out[(N + T) * ITEMS + k] = w[k] + (T == 0 && k == 0 ? 0 : sum);
}

extern "C" __global__ void block_radix_sort(const float* x, float* keys, int* values) {
    using Load = cub::BlockLoad<float, N, ITEMS, cub::BLOCK_LOAD_TRANSPOSE>;
    using Sort = cub::BlockRadixSort<float, N, ITEMS, int>;
    using Store = cub::BlockStore<float, N, ITEMS, cub::BLOCK_STORE_WARP_TRANSPOSE>;
    __shared__ union {
        typename Load::TempStorage load;
        typename Sort::TempStorage sort;
        typename Store::TempStorage store;
    } room;
    float k[ITEMS];
    int v[ITEMS];
    Load(room.load).Load(x, k);
    for (int i = 0; i < ITEMS; ++i) v[i] = T * ITEMS + i;
    __syncthreads();
    Sort(room.sort).SortDescending(k, v);
    __syncthreads();
    Store(room.store).Store(keys, k);
    for (int i = 0; i < ITEMS; ++i) values[T * ITEMS + i] = v[i];
}

extern "C" __global__ void block_merge_sort(const int* x, int* out, int valid) {
    using Sort = cub::BlockMergeSort<int, N, ITEMS>;
    __shared__ typename Sort::TempStorage room;
    int v[ITEMS];
    for (int i = 0; i < ITEMS; ++i) v[i] = T * ITEMS + i < valid ? x[T * ITEMS + i] : 0;
    Sort(room).Sort(v, [](int a, int b) { return a % 1000 < b % 1000; }, valid, 999);
    for (int i = 0; i < ITEMS; ++i) out[T * ITEMS + i] = v[i];
}

extern "C" __global__ void block_histograms(const unsigned char* x, unsigned* out) {
    using Atomic = cub::BlockHistogram<unsigned char, N, ITEMS, 256, cub::BLOCK_HISTO_ATOMIC>;
    using Sort = cub::BlockHistogram<unsigned char, N, ITEMS, 256, cub::BLOCK_HISTO_SORT>;
    __shared__ typename Atomic::TempStorage a;
    __shared__ typename Sort::TempStorage b;
    __shared__ unsigned bins[2][256];
    unsigned char v[ITEMS];
    for (int i = 0; i < ITEMS; ++i) v[i] = x[T * ITEMS + i];
    Atomic(a).Histogram(v, bins[0]);
    Sort(b).Histogram(v, bins[1]);
    __syncthreads();
    for (int i = T; i < 512; i += N) out[i] = bins[i / 256][i % 256];
}

extern "C" __global__ void block_flags(const int* x, int* out) {
    using Heads = cub::BlockDiscontinuity<int, N>;
    using Differences = cub::BlockAdjacentDifference<int, N>;
    using Exchange = cub::BlockExchange<int, N, ITEMS>;
    using Shuffle = cub::BlockShuffle<int, N>;
    __shared__ typename Heads::TempStorage a;
    __shared__ typename Differences::TempStorage b;
    __shared__ typename Exchange::TempStorage c;
    __shared__ typename Shuffle::TempStorage d;
    int v[ITEMS], heads[ITEMS], tails[ITEMS], less[ITEMS], rotated;
    for (int i = 0; i < ITEMS; ++i) v[i] = x[T * ITEMS + i];
    Heads(a).FlagHeadsAndTails(heads, tails, v, [](int p, int q) { return p != q; });
    Differences(b).SubtractLeft(v, less, [](int p, int q) { return p - q; });
    Shuffle(d).Rotate(v[0], rotated, 5);
    Exchange(c).BlockedToStriped(v, v);
    for (int i = 0; i < ITEMS; ++i) {
        out[T * ITEMS + i] = heads[i] + 2 * tails[i], out[(N + T) * ITEMS + i] = less[i];
        out[2 * N * ITEMS + i * N + T] = v[i];
    }
    out[3 * N * ITEMS + T] = rotated;
}

extern "C" __global__ void warp_primitives(const int* x, int* out) {
    using Eight = cub::WarpReduce<int, 8>;
    using Scan = cub::WarpScan<int, 32>;
    using Sort = cub::WarpMergeSort<int, ITEMS, 16>;
    __shared__ typename Eight::TempStorage a[N / 8];
    __shared__ typename Scan::TempStorage b[N / 32];
    __shared__ typename Sort::TempStorage c[N / 16];
    int v[ITEMS], in, ex;
    for (int i = 0; i < ITEMS; ++i) v[i] = x[T * ITEMS + i];
    int head = Eight(a[T / 8]).HeadSegmentedSum(v[0], T % 8 % 3 == 0);
    out[T] = T % 8 % 3 == 0 ? head : 0;
    Scan(b[T / 32]).Scan(v[1], in, ex, [](int p, int q) { return p + q; });
    out[N + T] = in, out[2 * N + T] = T % 32 ? ex : 0;
    Sort(c[T / 16]).Sort(v, [](int p, int q) { return p < q; });
    for (int i = 0; i < ITEMS; ++i) out[3 * N + T * ITEMS + i] = v[i];
}

// Each group of equal labels, and tiles of more than a warp.
extern "C" __global__ void groups_of_labels(const int* x, int* out) {
    __shared__ cg::block_tile_memory<N> room;
    auto block = cg::this_thread_block(room);
    auto tile = cg::tiled_partition<32>(block);
    auto wide = cg::tiled_partition<64>(block);
    auto label = cg::labeled_partition(tile, x[T] % 5);
    auto odd = cg::binary_partition(tile, x[T] & 1);
    out[T] = cg::reduce(label, x[T], cg::plus<int>()), out[N + T] = odd.size() * 100 + odd.thread_rank();
    out[2 * N + T] = cg::reduce(wide, x[T], cg::greater<int>()), out[3 * N + T] = cg::exclusive_scan(tile, x[T]);
    out[4 * N + T] = wide.shfl(x[T], 37) + wide.any(x[T] == 3);
    cg::reduce_store_async(tile, out + 5 * N + T / 32, x[T], cg::plus<int>());
}

extern "C" __global__ void standard_library(const float2* x, float2* out, int* counts) {
    using complex = cuda::std::complex<float>;
    complex z(x[T].x, x[T].y), w = z * complex(2, -1) + cuda::std::conj(z) / complex(1, 1);
    out[T] = make_float2(w.real(), w.imag());
    cuda::std::array<int, 4> bins{};
    for (int i = 0; i < 16; ++i) bins[(T * i + i * i) % 4]++;
    auto [a, b] = cuda::std::make_tuple(bins[T % 4], cuda::std::popcount(T));
    cuda::atomic_ref<int, cuda::thread_scope_block> ref(counts[T % 8]);
    ref.fetch_add(a * 10 + b, cuda::std::memory_order_relaxed);
    cuda::atomic_ref<int, cuda::thread_scope_device> most(counts[8]);
    most.fetch_max((int)cuda::std::bit_ceil(T + 1), cuda::std::memory_order_acq_rel);
}
