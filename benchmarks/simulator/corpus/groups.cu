// Cooperative groups of all sizes.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
#define T threadIdx.x

template <int SIZE> __device__ void tile_of(const int* x, int* out) {
    auto tile = cg::tiled_partition<SIZE>(cg::this_thread_block());
    int v = x[T], sum = v;
    for (int d = SIZE / 2; d; d /= 2) sum += tile.shfl_xor(sum, d);
    out[T] = sum + tile.thread_rank() * 1000 + tile.meta_group_rank() * 100000;
    out[128 + T] = tile.ballot(v & 1);
    out[256 + T] = tile.any(v == 3) | tile.all(v < 90) << 1;
    out[384 + T] = cg::reduce(tile, v, cg::plus<int>());
}
extern "C" __global__ void tiles_of_32(const int* x, int* out) { tile_of<32>(x, out); }
extern "C" __global__ void tiles_of_16(const int* x, int* out) { tile_of<16>(x, out); }
extern "C" __global__ void tiles_of_8(const int* x, int* out) { tile_of<8>(x, out); }
extern "C" __global__ void tiles_of_4(const int* x, int* out) { tile_of<4>(x, out); }
extern "C" __global__ void tiles_of_2(const int* x, int* out) { tile_of<2>(x, out); }

extern "C" __global__ void reductions(const int* x, int* out) {
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    int v = x[T];
    int r[6] = {cg::reduce(tile, v, cg::less<int>()), cg::reduce(tile, v, cg::greater<int>()), cg::reduce(tile, v, cg::bit_and<int>()),
                cg::reduce(tile, v, cg::bit_or<int>()), cg::reduce(tile, v, cg::bit_xor<int>()),
                cg::reduce(tile, v, [](int a, int b) { return a > b ? a : b; })};
    for (int k = 0; k < 6; ++k) out[128 * k + T] = r[k];
}

extern "C" __global__ void scans(const int* x, int* out) {
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    out[T] = cg::inclusive_scan(tile, x[T]);
    out[128 + T] = cg::exclusive_scan(tile, x[T], cg::plus<int>());
    out[256 + T] = cg::inclusive_scan(tile, x[T], cg::greater<int>());
}

extern "C" __global__ void coalesced(const int* x, int* out, int* count) {
    if (x[T] % 3 == 0) {
        auto active = cg::coalesced_threads();
        int base;
        if (active.thread_rank() == 0) base = atomicAdd(count, active.size());
        base = active.shfl(base, 0);
        atomicAdd(&out[0], base >= 0);
        atomicAdd(&out[1], (int)active.thread_rank());
        out[128 + T] = cg::reduce(active, x[T], cg::plus<int>());
    }
}

extern "C" __global__ void partitions(const int* x, int* out) {
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    auto same = cg::labeled_partition(warp, x[T] % 5);
    out[T] = same.size() * 100 + same.thread_rank();
    auto half = cg::binary_partition(warp, x[T] > 40);
    out[128 + T] = cg::reduce(half, x[T], cg::plus<int>());
}

extern "C" __global__ void block_group(const int* x, int* out) {
    __shared__ int s[128];
    auto block = cg::this_thread_block();
    s[block.thread_rank()] = x[T];
    block.sync();
    auto half = cg::tiled_partition(block, 32);
    out[T] = s[127 - T] + half.size() + block.group_index().x;
    auto token = block.barrier_arrive();
    int own = x[T];
    block.barrier_wait(cuda::std::move(token));
    s[T] = own * 2;
    block.sync();
    out[128 + T] = s[(T + 1) % 128];
}

extern "C" __global__ void copy_of_a_group(const int* x, int* out) {
    __shared__ alignas(16) int s[256];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, s, x, sizeof(int) * 256);
    cg::wait(block);
    out[T] = s[255 - T] - s[T];
}

extern "C" __global__ void one_of_a_group(int* out) {
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    cg::invoke_one(tile, [&] { atomicAdd(out, 1); });
    int v = cg::invoke_one_broadcast(tile, [&] { return (int)tile.meta_group_rank() * 7; });
    out[1 + T] = v;
}

extern "C" __global__ void atomics_of_tiles(const int* x, int* bins) {
    auto tile = cg::tiled_partition<4>(cg::this_thread_block());
    int v = cg::reduce(tile, x[T], cg::greater<int>());
    if (tile.thread_rank() == 0) atomicAdd(&bins[v % 8], 1);
    tile.sync();
    int up = tile.shfl_up(x[T], 1), down = tile.shfl_down(x[T], 1);
    if (tile.thread_rank() == 1) atomicAdd(&bins[8], up - down);
    unsigned same = tile.match_any(x[T] & 1);
    atomicAdd(&bins[9], __popc(same));
}
