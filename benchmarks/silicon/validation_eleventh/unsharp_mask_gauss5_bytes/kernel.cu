// A picture of four bytes a pixel is sharpened by the difference to its binomial blur of 5 x 5.
constexpr int W = 2048, PITCH = W + 4, TW = 32 + 4, TH = TILE + 4, THREADS = 32 * BY;

__device__ __forceinline__ int4 wide(uchar4 p)
{
    return make_int4(p.x, p.y, p.z, p.w);
}

__device__ __forceinline__ void add(int4& s, int k, int4 p)
{
    s.x += k * p.x;
    s.y += k * p.y;
    s.z += k * p.z;
    s.w += k * p.w;
}

__device__ __forceinline__ unsigned char sharp(int p, int blur)
{
    return min(max(p + (p - (blur + 128 >> 8)), 0), 255);
}

extern "C" __global__ void __launch_bounds__(THREADS)
unsharp_mask_gauss5_bytes(const uchar4* __restrict__ in, uchar4* __restrict__ out)
{
    __shared__ uchar4 tile[TH][TW];
    __shared__ int4 rows[SEPARABLE ? TH : 1][32];
    const int x0 = blockIdx.x * 32, y0 = blockIdx.y * TILE, tx = threadIdx.x, ty = threadIdx.y;
    const int k[5] = {1, 4, 6, 4, 1};
    for (int i = ty * 32 + tx; i < TH * TW; i += THREADS) tile[i / TW][i % TW] = in[(y0 + i / TW) * PITCH + x0 + i % TW];
    __syncthreads();
    if (SEPARABLE) {
        for (int r = ty; r < TH; r += BY) {
            int4 s = make_int4(0, 0, 0, 0);
#pragma unroll
            for (int j = 0; j < 5; ++j) add(s, k[j], wide(tile[r][tx + j]));
            rows[SEPARABLE ? r : 0][tx] = s;
        }
        __syncthreads();
    }
    for (int r = ty; r < TILE; r += BY) {
        int4 s = make_int4(0, 0, 0, 0);
        if (SEPARABLE) {
#pragma unroll
            for (int i = 0; i < 5; ++i) add(s, k[i], rows[SEPARABLE ? r + i : 0][tx]);
        } else {
#pragma unroll
            for (int i = 0; i < 5; ++i)
#pragma unroll
                for (int j = 0; j < 5; ++j) add(s, k[i] * k[j], wide(tile[r + i][tx + j]));
        }
        const int4 p = wide(tile[r + 2][tx + 2]);
        uchar4 q;
        q.x = sharp(p.x, s.x);
        q.y = sharp(p.y, s.y);
        q.z = sharp(p.z, s.z);
        q.w = p.w;
        out[(y0 + r) * W + x0 + tx] = q;
    }
}
