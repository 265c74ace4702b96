// Weights to four bits by the quantiles of a normal distribution, a scale a block of CHUNK: the largest magnitude over
// the block first, then each number's code, by a tree of comparisons or by counting the borders below it.
constexpr int THREADS = CHUNK / ITEMS, WARPS = THREADS / 32;

struct alignas(16) Numbers { float v[ITEMS]; };
struct alignas(ITEMS / 2) Codes { unsigned char v[ITEMS / 2]; };

__device__ unsigned code_of(float x)
{
#if TREE
    if (x > 0.03979014977812767f)
        if (x > 0.3893125355243683f)
            if (x > 0.6427869200706482f) return x > 0.8614784181118011f ? 15 : 14;
            else return x > 0.5016634166240692f ? 13 : 12;
        else if (x > 0.2035212516784668f) return x > 0.2920137718319893f ? 11 : 10;
        else return x > 0.1202552504837513f ? 9 : 8;
    else if (x > -0.33967943489551544f)
        if (x > -0.13791173323988914f) return x > -0.045525018125772476f ? 7 : 6;
        else return x > -0.23460740596055984f ? 5 : 4;
    else if (x > -0.6106329262256622f) return x > -0.4599952697753906f ? 3 : 2;
    else return x > -0.8480964004993439f ? 1 : 0;
#else
    constexpr float borders[15] = {-0.8480964f, -0.6106329f, -0.4599953f, -0.3396794f, -0.2346074f, -0.1379117f,
                                   -0.045525f, 0.0397901f, 0.1202553f, 0.2035213f, 0.2920138f, 0.3893125f,
                                   0.5016634f, 0.6427869f, 0.8614784f};
    unsigned code = 0;
#pragma unroll
    for (int i = 0; i < 15; ++i) code += x > borders[i];
    return code;
#endif
}

extern "C" __global__ void __launch_bounds__(THREADS)
nf4_quantise(const float* __restrict__ w, unsigned char* __restrict__ codes, float* __restrict__ scales)
{
    __shared__ float tops[WARPS];
    const int t = threadIdx.x, lane = t & 31, warp = t >> 5;
    const size_t at = (size_t)blockIdx.x * CHUNK + t * ITEMS;
    const Numbers given = *reinterpret_cast<const Numbers*>(w + at);
    float v[ITEMS], top = 0.0f;
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
        v[i] = given.v[i] - 0.5f;
        top = fmaxf(top, fabsf(v[i]));
    }
    for (int m = 16; m > 0; m >>= 1) top = fmaxf(top, __shfl_xor_sync(0xffffffff, top, m));
    if (lane == 0) tops[warp] = top;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < WARPS; ++k) top = fmaxf(top, tops[k]);
    if (t == 0) scales[blockIdx.x] = top;
    const float inverse = 1.0f / top;
    Codes out;
#pragma unroll
    for (int i = 0; i < ITEMS; i += 2)
        out.v[i / 2] = (unsigned char)(code_of(v[i] * inverse) << 4 | code_of(v[i + 1] * inverse));
    *reinterpret_cast<Codes*>(codes + at / 2) = out;
}
