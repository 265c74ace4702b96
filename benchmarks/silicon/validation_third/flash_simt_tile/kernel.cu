// Attention forward in FP32 without tensor cores: 256 threads own a tile of BR x BC scores and BR x HEAD results, the
// softmax is updated tile by tile. Half a warp shares a row.
constexpr int SEQ = 512, RI = BR / 16, CI = BC / 16, HI = HEAD / 16;

extern __shared__ float tiles[];

extern "C" __global__ void __launch_bounds__(256)
flash_simt_tile(const float* __restrict__ q, const float* __restrict__ k, const float* __restrict__ v,
                float* __restrict__ out, float scale)
{
    float* sq = tiles;                       // [BR][HEAD + 1]
    float* sk = sq + BR * (HEAD + 1);        // [BC][HEAD + 1]
    float* sv = sk + BC * (HEAD + 1);        // [BC][HEAD]
    float* sp = sv + BC * HEAD;              // [BR][BC + 1]
    const int t = threadIdx.x, tx = t & 15, ty = t >> 4;
    const size_t base = (size_t)blockIdx.y * SEQ * HEAD;
    const int q0 = blockIdx.x * BR;

    for (int i = t; i < BR * HEAD; i += 256) sq[i / HEAD * (HEAD + 1) + i % HEAD] = q[base + q0 * HEAD + i] * scale;
    float o[RI][HI] = {}, top[RI], total[RI];
#pragma unroll
    for (int i = 0; i < RI; ++i) {
        top[i] = -1e30f;
        total[i] = 0.0f;
    }
    const int end = CAUSAL ? q0 + BR : SEQ;
    for (int k0 = 0; k0 < end; k0 += BC) {
        __syncthreads();
        for (int i = t; i < BC * HEAD; i += 256) {
            sk[i / HEAD * (HEAD + 1) + i % HEAD] = k[base + k0 * HEAD + i];
            sv[i] = v[base + k0 * HEAD + i];
        }
        __syncthreads();
        float s[RI][CI] = {};
#pragma unroll 8
        for (int d = 0; d < HEAD; ++d) {
            float a[RI], b[CI];
#pragma unroll
            for (int i = 0; i < RI; ++i) a[i] = sq[(ty + i * 16) * (HEAD + 1) + d];
#pragma unroll
            for (int j = 0; j < CI; ++j) b[j] = sk[(tx + j * 16) * (HEAD + 1) + d];
#pragma unroll
            for (int i = 0; i < RI; ++i)
#pragma unroll
                for (int j = 0; j < CI; ++j) s[i][j] += a[i] * b[j];
        }
#pragma unroll
        for (int i = 0; i < RI; ++i) {
            float m = top[i];
#pragma unroll
            for (int j = 0; j < CI; ++j) {
                if (CAUSAL && k0 + tx + j * 16 > q0 + ty + i * 16) s[i][j] = -1e30f;
                m = fmaxf(m, s[i][j]);
            }
#pragma unroll
            for (int d = 8; d > 0; d >>= 1) m = fmaxf(m, __shfl_xor_sync(0xffffffff, m, d));
            const float shrink = __expf(top[i] - m);
            top[i] = m;
            float sum = 0.0f;
#pragma unroll
            for (int j = 0; j < CI; ++j) {
                s[i][j] = __expf(s[i][j] - m);
                sum += s[i][j];
                sp[(ty + i * 16) * (BC + 1) + tx + j * 16] = s[i][j];
            }
#pragma unroll
            for (int d = 8; d > 0; d >>= 1) sum += __shfl_xor_sync(0xffffffff, sum, d);
            total[i] = total[i] * shrink + sum;
#pragma unroll
            for (int h = 0; h < HI; ++h) o[i][h] *= shrink;
        }
        __syncwarp();
#pragma unroll 4
        for (int j = 0; j < BC; ++j) {
            float p[RI];
#pragma unroll
            for (int i = 0; i < RI; ++i) p[i] = sp[(ty + i * 16) * (BC + 1) + j];
#pragma unroll
            for (int h = 0; h < HI; ++h) {
                const float value = sv[j * HEAD + tx + h * 16];
#pragma unroll
                for (int i = 0; i < RI; ++i) o[i][h] += p[i] * value;
            }
        }
    }
#pragma unroll
    for (int i = 0; i < RI; ++i)
#pragma unroll
        for (int h = 0; h < HI; ++h)
            out[base + (size_t)(q0 + ty + i * 16) * HEAD + tx + h * 16] = o[i][h] / total[i];
}
