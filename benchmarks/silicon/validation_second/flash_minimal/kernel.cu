// Flash attention in its smallest form: BR threads, one query row each; K and V in tiles of BC rows, the scores
// of the tile in shared memory. WIDE reads shared memory four floats at a time.
extern __shared__ __align__(16) float sram[];

extern "C" __global__ void flash_minimal(const float* __restrict__ Q, const float* __restrict__ K,
                                         const float* __restrict__ V, float* __restrict__ O)
{
    constexpr int SEQ_LEN = 512, STEP = WIDE ? 4 : 1;
    const int tx = threadIdx.x;
    const int head_offset = blockIdx.y * SEQ_LEN * HEAD;
    const int q_row = blockIdx.x * BR + tx;
    float* Kj = sram;
    float* Vj = Kj + BC * HEAD;
    float* S = Vj + BC * HEAD;   // [BC][BR], a column per thread

    float q[HEAD], o[HEAD];
    for (int x = 0; x < HEAD; x++) {
        q[x] = Q[head_offset + q_row * HEAD + x];
        o[x] = 0;
    }
    const float softmax_scale = rsqrtf((float)HEAD);
    float m_prev = -1e20f, l_prev = 0;

    for (int j = 0; j < SEQ_LEN / BC; j++) {
        __syncthreads();
        for (int i = tx * STEP; i < BC * HEAD; i += BR * STEP) {
#if WIDE
            *(float4*)(Kj + i) = *(const float4*)(K + head_offset + j * BC * HEAD + i);
            *(float4*)(Vj + i) = *(const float4*)(V + head_offset + j * BC * HEAD + i);
#else
            Kj[i] = K[head_offset + j * BC * HEAD + i];
            Vj[i] = V[head_offset + j * BC * HEAD + i];
#endif
        }
        __syncthreads();

        float m_row = -1e20f;
        for (int y = 0; y < BC; y++) {
            float sum = 0;
#if WIDE
#pragma unroll
            for (int x = 0; x < HEAD; x += 4) {
                const float4 k = *(const float4*)(Kj + y * HEAD + x);
                sum += q[x] * k.x + q[x + 1] * k.y + q[x + 2] * k.z + q[x + 3] * k.w;
            }
#else
#pragma unroll
            for (int x = 0; x < HEAD; x++) sum += q[x] * Kj[y * HEAD + x];
#endif
            sum *= softmax_scale;
            S[y * BR + tx] = sum;
            if (sum > m_row) m_row = sum;
        }
        const float m_new = max(m_prev, m_row), shrink = __expf(m_prev - m_new);
        float l_row = 0;
        for (int x = 0; x < HEAD; x++) o[x] *= shrink;
        for (int y = 0; y < BC; y++) {
            const float p = __expf(S[y * BR + tx] - m_new);
            l_row += p;
#if WIDE
#pragma unroll
            for (int x = 0; x < HEAD; x += 4) {
                const float4 v = *(const float4*)(Vj + y * HEAD + x);
                o[x] += p * v.x;
                o[x + 1] += p * v.y;
                o[x + 2] += p * v.z;
                o[x + 3] += p * v.w;
            }
#else
#pragma unroll
            for (int x = 0; x < HEAD; x++) o[x] += p * Vj[y * HEAD + x];
#endif
        }
        l_prev = l_prev * shrink + l_row;
        m_prev = m_new;
    }
    for (int x = 0; x < HEAD; x++) O[head_offset + q_row * HEAD + x] = o[x] / l_prev;
}
