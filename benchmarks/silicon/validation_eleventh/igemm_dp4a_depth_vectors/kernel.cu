// C = A B^T with bytes; a thread has BM / 16 x 4 sums and reads KV words of the depth at a time.
constexpr int N = 2048, KW = 256, TM = BM / 16, LD = KV == 4 ? BK + 4 : BK + 1;
constexpr int LA = BM * BK / 4 / 256, LB = 64 * BK / 4 / 256 > 0 ? 64 * BK / 4 / 256 : 1;
struct alignas(KV * 4) Pack { int w[KV]; };

extern "C" __global__ void __launch_bounds__(256)
igemm_dp4a_depth_vectors(const int* __restrict__ a, const int* __restrict__ b, int* __restrict__ c)
{
    alignas(16) __shared__ int as[BM * LD];
    alignas(16) __shared__ int bs[64 * LD];
    const int tx = threadIdx.x % 16, ty = threadIdx.x / 16, row0 = blockIdx.y * BM, col0 = blockIdx.x * 64;
    int acc[TM][4] = {};
    int4 ra[LA], rb[LB];
    auto fetch = [&](int k0) {
#pragma unroll
        for (int i = 0; i < LA; ++i) {
            const int e = i * 256 + threadIdx.x;
            ra[i] = *reinterpret_cast<const int4*>(a + (row0 + e / (BK / 4)) * KW + k0 + e % (BK / 4) * 4);
        }
#pragma unroll
        for (int i = 0; i < LB; ++i) {
            const int e = i * 256 + threadIdx.x;
            if (e < 64 * BK / 4) rb[i] = *reinterpret_cast<const int4*>(b + (col0 + e / (BK / 4)) * KW + k0 + e % (BK / 4) * 4);
        }
    };
    auto put = [&](int* s, const int4& v, int e) {
        int* to = s + e / (BK / 4) * LD + e % (BK / 4) * 4;
        if (KV == 4) {
            *reinterpret_cast<int4*>(to) = v;
        } else {
            to[0] = v.x;
            to[1] = v.y;
            to[2] = v.z;
            to[3] = v.w;
        }
    };
    if (AHEAD) fetch(0);
#pragma unroll 1
    for (int k0 = 0; k0 < KW; k0 += BK) {
        if (!AHEAD) fetch(k0);
#pragma unroll
        for (int i = 0; i < LA; ++i) put(as, ra[i], i * 256 + threadIdx.x);
#pragma unroll
        for (int i = 0; i < LB; ++i)
            if (i * 256 + threadIdx.x < 64 * BK / 4) put(bs, rb[i], i * 256 + threadIdx.x);
        __syncthreads();
        if (AHEAD && k0 + BK < KW) fetch(k0 + BK);
#pragma unroll
        for (int k = 0; k < BK; k += KV) {
            Pack x[TM], y[4];
#pragma unroll
            for (int i = 0; i < TM; ++i) x[i] = *reinterpret_cast<const Pack*>(as + (ty + 16 * i) * LD + k);
#pragma unroll
            for (int j = 0; j < 4; ++j) y[j] = *reinterpret_cast<const Pack*>(bs + (tx + 16 * j) * LD + k);
#pragma unroll
            for (int w = 0; w < KV; ++w)
#pragma unroll
                for (int i = 0; i < TM; ++i)
#pragma unroll
                    for (int j = 0; j < 4; ++j) acc[i][j] = __dp4a(x[i].w[w], y[j].w[w], acc[i][j]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < TM; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) c[(row0 + ty + 16 * i) * N + col0 + tx + 16 * j] = acc[i][j];
}
