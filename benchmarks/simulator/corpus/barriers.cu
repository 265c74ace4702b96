// Barriers: of a block, named, asynchronous (mbarrier, cuda::barrier, cuda::pipeline), and producers with consumers.
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_awbarrier_primitives.h>
#include <cuda_pipeline_primitives.h>
namespace cg = cooperative_groups;
typedef unsigned long long u64;

__device__ unsigned shared_address(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void init_barrier(u64* b, unsigned n) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(b)), "r"(n) : "memory");
}
__device__ u64 arrive_at(u64* b) {
    u64 state;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(shared_address(b)) : "memory");
    return state;
}
__device__ bool over(u64* b, u64 state) {
    unsigned done;
    asm volatile("{.reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
                 : "=r"(done) : "r"(shared_address(b)), "l"(state) : "memory");
    return done;
}
__device__ bool over_parity(u64* b, unsigned parity) {
    unsigned done;
#if __CUDA_ARCH__ >= 900
    asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
#else
    asm volatile("{.reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
#endif
                 : "=r"(done) : "r"(shared_address(b)), "r"(parity) : "memory");
    return done;
}

extern "C" __global__ void arrive_and_test(const int* x, int* out) {
    __shared__ u64 barrier;
    __shared__ int data[128];
    if (threadIdx.x == 0) init_barrier(&barrier, blockDim.x);
    __syncthreads();
    for (int round = 0; round < 5; ++round) {
        data[threadIdx.x] = x[threadIdx.x] * (round + 1);
        u64 state = arrive_at(&barrier);
        while (!over(&barrier, state)) {}
        out[threadIdx.x] += data[threadIdx.x ^ 77];
        state = arrive_at(&barrier);
        while (!over(&barrier, state)) {}
    }
}

extern "C" __global__ void wait_for_parity(const int* x, int* out) {
    __shared__ u64 barrier;
    __shared__ int data[128];
    if (threadIdx.x == 0) init_barrier(&barrier, blockDim.x);
    __syncthreads();
    unsigned parity = 0;
    for (int round = 0; round < 6; ++round) {
        data[(threadIdx.x + round) % 128] = x[threadIdx.x] + round;
        arrive_at(&barrier);
        while (!over_parity(&barrier, parity)) {}
        parity ^= 1;
        out[threadIdx.x] += data[127 - threadIdx.x];
        __syncthreads();
    }
}

// Warp 0 fills two stages in turn; the others empty them.
extern "C" __global__ void producer_and_consumers(const int* x, int* out, int tiles) {
    __shared__ u64 full[2], empty[2];
    __shared__ int stage[2][96];
    if (threadIdx.x == 0)
        for (int s = 0; s < 2; ++s) init_barrier(full + s, 32), init_barrier(empty + s, 96);
    __syncthreads();
    if (threadIdx.x < 32) {
        for (int t = 0; t < tiles; ++t) {
            int s = t % 2;
            while (!over_parity(empty + s, (t / 2 & 1) ^ 1)) {}
            for (int i = threadIdx.x; i < 96; i += 32) stage[s][i] = x[t * 96 + i];
            arrive_at(full + s);
        }
    } else {
        int sum = 0, i = threadIdx.x - 32;
        for (int t = 0; t < tiles; ++t) {
            int s = t % 2;
            while (!over_parity(full + s, t / 2 & 1)) {}
            sum = sum * 3 + stage[s][95 - i];
            arrive_at(empty + s);
        }
        out[i] = sum;
    }
}

// One lane produces for the others of its warp: splits of one warp wait for each other.
extern "C" __global__ void lanes_wait_for_a_lane(const int* x, int* out) {
    __shared__ u64 barrier;
    __shared__ int value;
    if (threadIdx.x == 0) init_barrier(&barrier, 1);
    __syncwarp();
    if (threadIdx.x == 5) {
        value = x[7];
        arrive_at(&barrier);
    } else {
        while (!over_parity(&barrier, 0)) {}
        out[threadIdx.x] = value + threadIdx.x;
    }
}

extern "C" __global__ void arrive_with_count(int* out) {
    __shared__ u64 barrier;
    if (threadIdx.x == 0) init_barrier(&barrier, blockDim.x * 3);
    __syncthreads();
    u64 state;
    asm volatile("mbarrier.arrive.noComplete.shared.b64 %0, [%1], 2;" : "=l"(state) : "r"(shared_address(&barrier)) : "memory");
    unsigned pending;
    asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(pending) : "l"(state));
    atomicMin(&out[0], pending);
    atomicMax(&out[1], pending);
    __syncthreads();
    if (threadIdx.x == 0) out[2] = over_parity(&barrier, 0);
    __syncthreads();
    state = arrive_at(&barrier);
    while (!over(&barrier, state)) {}
    atomicAdd(&out[3], 1);
}

extern "C" __global__ void drop_out(int* out) {
    __shared__ u64 barrier;
    if (threadIdx.x == 0) init_barrier(&barrier, blockDim.x);
    __syncthreads();
    u64 state;
    if (threadIdx.x % 2) {
        asm volatile("mbarrier.arrive_drop.shared.b64 %0, [%1];" : "=l"(state) : "r"(shared_address(&barrier)) : "memory");
        return;
    }
    for (int round = 0; round < 3; ++round) {
        state = arrive_at(&barrier);
        while (!over(&barrier, state)) {}
        atomicAdd(&out[round], 1);
    }
}

extern "C" __global__ void init_again(int* out) {
    __shared__ u64 barrier;
    for (int round = 1; round < 4; ++round) {
        if (threadIdx.x == 0) init_barrier(&barrier, blockDim.x * round);
        __syncthreads();
        for (int k = 1; k < round; ++k) arrive_at(&barrier);
        u64 state = arrive_at(&barrier);
        while (!over(&barrier, state)) {}
        atomicAdd(&out[round], 1);
        __syncthreads();
        asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(shared_address(&barrier)) : "memory");
        __syncthreads();
    }
}

extern "C" __global__ void copies_arrive(const int* x, int* out) {
    __shared__ u64 barrier;
    __shared__ alignas(16) int data[512];
    if (threadIdx.x == 0) init_barrier(&barrier, blockDim.x);
    __syncthreads();
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(shared_address(data + threadIdx.x * 4)), "l"(x + threadIdx.x * 4));
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(shared_address(&barrier)) : "memory");
    while (!over_parity(&barrier, 0)) {}
    for (int k = 0; k < 4; ++k) out[threadIdx.x + 128 * k] = data[(threadIdx.x * 5 + 128 * k) % 512];
    __syncthreads();
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared_address(data + threadIdx.x)), "l"(x + 511 - threadIdx.x));
    asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(shared_address(&barrier)) : "memory");
    u64 state = arrive_at(&barrier);
    while (!over(&barrier, state)) {}
    out[threadIdx.x + 512] = data[127 - threadIdx.x];
}

// A ring of four stages: each is filled by asynchronous copies that arrive at its barrier.
extern "C" __global__ void ring_of_copies(const float* x, float* out, int tiles) {
    __shared__ u64 full[4];
    __shared__ float stage[4][64];
    if (threadIdx.x < 4) init_barrier(full + threadIdx.x, 64);
    __syncthreads();
    auto fetch = [&](int t) {
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared_address(&stage[t % 4][threadIdx.x])), "l"(x + t * 64 + threadIdx.x));
        asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(shared_address(full + t % 4)) : "memory");
    };
    for (int t = 0; t < 3; ++t) fetch(t);
    float sum = 0;
    for (int t = 0; t < tiles; ++t) {
        while (!over_parity(full + t % 4, t / 4 & 1)) {}
        sum += stage[t % 4][63 - threadIdx.x] * (t + 1);
        __syncthreads();
        if (t + 3 < tiles) fetch(t + 3);
    }
    out[threadIdx.x] = sum;
}

extern "C" __global__ void cpp_barrier(const int* x, int* out) {
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    __shared__ int data[128];
    if (threadIdx.x == 0) init(&barrier, blockDim.x);
    __syncthreads();
    for (int round = 0; round < 4; ++round) {
        data[threadIdx.x] = x[threadIdx.x] + round;
        auto token = barrier.arrive();
        int own = x[threadIdx.x] * round;
        barrier.wait(cuda::std::move(token));
        out[threadIdx.x] += data[(threadIdx.x + 33) % 128] + own;
        barrier.arrive_and_wait();
    }
}

extern "C" __global__ void cpp_barrier_drop(int* out) {
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    if (threadIdx.x == 0) init(&barrier, blockDim.x);
    __syncthreads();
    if (threadIdx.x >= 32) {
        barrier.arrive_and_drop();
        return;
    }
    barrier.arrive_and_wait();
    barrier.arrive_and_wait();
    out[threadIdx.x] = threadIdx.x + 1;
}

extern "C" __global__ void cpp_barrier_of_warps(const int* x, int* out) {
    __shared__ cuda::barrier<cuda::thread_scope_block> ready, done;
    __shared__ int data[64];
    if (threadIdx.x == 0) init(&ready, 128), init(&done, 128);
    __syncthreads();
    if (threadIdx.x < 64) {
        data[threadIdx.x] = x[threadIdx.x] * 2;
        (void)ready.arrive();
        done.arrive_and_wait();
        out[threadIdx.x] = data[threadIdx.x];
    } else {
        ready.arrive_and_wait();
        data[127 - threadIdx.x] += 1;
        (void)done.arrive();
    }
}

extern "C" __global__ void cpp_pipeline_of_a_thread(const int* x, int* out, int tiles) {
    __shared__ int stage[2][128];
    auto pipe = cuda::make_pipeline();
    int sum = 0;
    for (int c = 0, f = 0; c < tiles; ++c) {
        for (; f < tiles && f < c + 2; ++f) {
            pipe.producer_acquire();
            cuda::memcpy_async(&stage[f % 2][threadIdx.x], x + f * 128 + threadIdx.x, sizeof(int), pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        sum = sum * 5 + stage[c % 2][threadIdx.x];
        pipe.consumer_release();
    }
    out[threadIdx.x] = sum;
}

extern "C" __global__ void cpp_pipeline_of_a_block(const int* x, int* out, int tiles) {
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    __shared__ int stage[2][128];
    auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    int sum = 0;
    for (int c = 0, f = 0; c < tiles; ++c) {
        for (; f < tiles && f < c + 2; ++f) {
            pipe.producer_acquire();
            cuda::memcpy_async(&stage[f % 2][threadIdx.x], x + f * 128 + threadIdx.x, sizeof(int), pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        sum = sum * 5 + stage[c % 2][127 - threadIdx.x];
        pipe.consumer_release();
    }
    out[threadIdx.x] = sum;
}

extern "C" __global__ void cpp_pipeline_with_roles(const int* x, int* out, int tiles) {
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    __shared__ int stage[2][96];
    auto block = cg::this_thread_block();
    const bool produces = threadIdx.x < 32;
    auto pipe = cuda::make_pipeline(block, &state, produces ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
    if (produces) {
        for (int t = 0; t < tiles; ++t) {
            pipe.producer_acquire();
            for (int i = threadIdx.x; i < 96; i += 32) cuda::memcpy_async(&stage[t % 2][i], x + t * 96 + i, sizeof(int), pipe);
            pipe.producer_commit();
        }
    } else {
        int sum = 0, i = threadIdx.x - 32;
        for (int t = 0; t < tiles; ++t) {
            pipe.consumer_wait();
            sum = sum * 3 + stage[t % 2][95 - i];
            pipe.consumer_release();
        }
        out[i] = sum;
    }
}

extern "C" __global__ void cpp_copy_with_barrier(const int* x, int* out) {
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    __shared__ alignas(16) int data[128];
    auto block = cg::this_thread_block();
    if (threadIdx.x == 0) init(&barrier, blockDim.x);
    __syncthreads();
    cuda::memcpy_async(block, data, x, cuda::aligned_size_t<16>(sizeof(int) * 128), barrier);
    barrier.arrive_and_wait();
    out[threadIdx.x] = data[127 - threadIdx.x];
}

extern "C" __global__ void awbarrier_primitives(const int* x, int* out) {
    __shared__ __mbarrier_t barrier;
    __shared__ int data[128];
    if (threadIdx.x == 0) __mbarrier_init(&barrier, blockDim.x);
    __syncthreads();
    __pipeline_memcpy_async(data + threadIdx.x, x + threadIdx.x, 4);
    __pipeline_arrive_on(&barrier);
    auto token = __mbarrier_arrive(&barrier);
    while (!__mbarrier_test_wait(&barrier, token)) {}
    out[threadIdx.x] = data[threadIdx.x ^ 1];
    __syncthreads();
    if (threadIdx.x == 0) __mbarrier_inval(&barrier);
}

extern "C" __global__ void named_barriers(const int* x, int* out) {
    __shared__ int data[64];
    if (threadIdx.x < 64) {
        data[threadIdx.x] = x[threadIdx.x];
        asm volatile("bar.arrive 1, 128;" ::: "memory");
    } else {
        asm volatile("bar.sync 1, 128;" ::: "memory");
        out[threadIdx.x - 64] = data[127 - threadIdx.x] + 1;
    }
}

extern "C" __global__ void spin_on_a_flag(const int* x, int* out) {
    __shared__ volatile int flag;
    __shared__ int value;
    if (threadIdx.x == 0) flag = 0;
    __syncthreads();
    if (threadIdx.x < 32) {
        while (flag == 0) {}
        __threadfence_block();
        out[threadIdx.x] = value + threadIdx.x;
    } else if (threadIdx.x == 40) {
        value = x[3];
        __threadfence_block();
        flag = 1;
    }
}
