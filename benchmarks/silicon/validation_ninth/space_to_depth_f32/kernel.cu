// 128 planes of 256 x 256 numbers: each of FACTOR x FACTOR phases becomes a plane of its own.
constexpr int OUT = 256 / FACTOR, AREA = OUT * OUT;

extern "C" __global__ void __launch_bounds__(256)
space_to_depth_f32(const float* __restrict__ x, float* __restrict__ y)
{
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        const int i = NEAR ? (blockIdx.x * 256 + threadIdx.x) * EACH + e : (blockIdx.x * EACH + e) * 256 + threadIdx.x;
        if (GATHER) {
            const int c = i % OUT, r = i / OUT % OUT, phase = i / AREA % (FACTOR * FACTOR), plane = i / 65536;
            y[i] = x[plane * 65536 + (r * FACTOR + phase / FACTOR) * 256 + c * FACTOR + phase % FACTOR];
        } else {
            const int c = i % 256, r = i / 256 % 256, plane = i / 65536;
            const int phase = r % FACTOR * FACTOR + c % FACTOR;
            y[plane * 65536 + phase * AREA + r / FACTOR * OUT + c / FACTOR] = x[i];
        }
    }
}
