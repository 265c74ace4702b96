// Direct 3 x 3 convolution of NCHW images of 56 x 56, padded by one: a block takes 8 rows and OC_EACH output channels,
// a thread one position of each; input and weights of IC_CHUNK channels in shared memory.
constexpr int SIDE = 56, IN_CHANNELS = 64, OUT_CHANNELS = 64, ROWS = 8, TILE_W = 28, THREADS = ROWS * TILE_W;

extern "C" __global__ void __launch_bounds__(THREADS)
conv3x3_direct(const float* __restrict__ x, const float* __restrict__ w, float* __restrict__ y)
{
    __shared__ float sx[IC_CHUNK][ROWS + 2][TILE_W + 2 + PAD], sw[OC_EACH][IC_CHUNK][9];
    const int t = threadIdx.x, tx = t % TILE_W, ty = t / TILE_W;
    const int x0 = blockIdx.x % 2 * TILE_W, y0 = blockIdx.x / 2 * ROWS, oc0 = blockIdx.y * OC_EACH, n = blockIdx.z;
    float acc[OC_EACH] = {};
    for (int ic0 = 0; ic0 < IN_CHANNELS; ic0 += IC_CHUNK) {
        for (int i = t; i < IC_CHUNK * (ROWS + 2) * (TILE_W + 2); i += THREADS) {
            const int c = i / ((ROWS + 2) * (TILE_W + 2)), r = i / (TILE_W + 2) % (ROWS + 2), s = i % (TILE_W + 2);
            const int yy = y0 + r - 1, xx = x0 + s - 1;
            const bool inside = yy >= 0 && yy < SIDE && xx >= 0 && xx < SIDE;
            sx[c][r][s] = inside ? x[((size_t)(n * IN_CHANNELS + ic0 + c) * SIDE + yy) * SIDE + xx] : 0.0f;
        }
        for (int i = t; i < OC_EACH * IC_CHUNK * 9; i += THREADS) {
            const int o = i / (IC_CHUNK * 9), rest = i % (IC_CHUNK * 9);
            sw[o][rest / 9][rest % 9] = w[((oc0 + o) * IN_CHANNELS + ic0) * 9 + rest];
        }
        __syncthreads();
        for (int c = 0; c < IC_CHUNK; ++c) {
            float in[9];
#pragma unroll
            for (int k = 0; k < 9; ++k) in[k] = sx[c][ty + k / 3][tx + k % 3];
#pragma unroll
            for (int o = 0; o < OC_EACH; ++o)
#pragma unroll
                for (int k = 0; k < 9; ++k) acc[o] += in[k] * sw[o][c][k];
        }
        __syncthreads();
    }
#pragma unroll
    for (int o = 0; o < OC_EACH; ++o)
        y[((size_t)(n * OUT_CHANNELS + oc0 + o) * SIDE + y0 + ty) * SIDE + x0 + tx] = acc[o];
}
