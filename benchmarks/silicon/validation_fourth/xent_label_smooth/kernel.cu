// Cross entropy with label smoothing, forward: a block a row of logits, one pass for maximum, sum of exponentials and
// plain sum, each thread with its own running maximum.
constexpr int WARPS = THREADS / 32;

struct alignas(4 * VEC) Pack { float v[VEC]; };

extern "C" __global__ void __launch_bounds__(THREADS)
xent_label_smooth(const float* __restrict__ logits, const int* __restrict__ labels, float* __restrict__ losses,
                  float* __restrict__ log_sums, float smoothing)
{
    __shared__ float tops[WARPS], sums[WARPS], totals[WARPS];
    const float* row = logits + (size_t)blockIdx.x * VOCAB;
    const Pack* packs = reinterpret_cast<const Pack*>(row);
    float top = -1e30f, sum = 0.0f, total = 0.0f;
#pragma unroll 2
    for (int i = threadIdx.x; i < VOCAB / VEC; i += THREADS) {
        const Pack p = packs[i];
        float local = p.v[0];
#pragma unroll
        for (int k = 1; k < VEC; ++k) local = fmaxf(local, p.v[k]);
        const float next = fmaxf(top, local);
        sum *= __expf(top - next);
        top = next;
#pragma unroll
        for (int k = 0; k < VEC; ++k) {
            sum += __expf(p.v[k] - top);
            total += p.v[k];
        }
    }
#pragma unroll
    for (int d = 16; d > 0; d >>= 1) {
        const float t = __shfl_down_sync(0xffffffff, top, d), s = __shfl_down_sync(0xffffffff, sum, d);
        total += __shfl_down_sync(0xffffffff, total, d);
        const float next = fmaxf(top, t);
        sum = sum * __expf(top - next) + s * __expf(t - next);
        top = next;
    }
    if (threadIdx.x % 32 == 0) {
        tops[threadIdx.x / 32] = top;
        sums[threadIdx.x / 32] = sum;
        totals[threadIdx.x / 32] = total;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < WARPS; ++w) {
            const float next = fmaxf(top, tops[w]);
            sum = sum * __expf(top - next) + sums[w] * __expf(tops[w] - next);
            top = next;
            total += totals[w];
        }
        const float log_sum = top + __logf(sum);
        const float nll = log_sum - row[labels[blockIdx.x]], mean_nll = log_sum - total / VOCAB;
        losses[blockIdx.x] = (1.0f - smoothing) * nll + smoothing * mean_nll;
        log_sums[blockIdx.x] = log_sum;
    }
}
