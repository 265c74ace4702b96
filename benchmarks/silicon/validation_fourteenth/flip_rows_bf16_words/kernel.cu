// y[n][h][w] = x[n][h or H-1-h][W-1-w]; numbers of a word are turned round by byte permutes.
constexpr int H = 512, W = WIDTH / VEC;
struct alignas(VEC * 2) Pack { unsigned short h[VEC]; };

extern "C" __global__ void __launch_bounds__(256)
flip_rows_bf16_words(const Pack* __restrict__ x, Pack* __restrict__ y)
{
    const int first = blockIdx.x * 256 * ITEMS + threadIdx.x;
    Pack p[ITEMS];
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
        const int at = first + i * 256, w = at % W, h = at / W % H, plane = at / (W * H);
        p[i] = x[(plane * H + (BOTH ? H - 1 - h : h)) * W + W - 1 - w];
    }
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
        Pack o;
#pragma unroll
        for (int j = 0; j < VEC; ++j) o.h[j] = p[i].h[VEC - 1 - j];
        y[first + i * 256] = o;
    }
}
