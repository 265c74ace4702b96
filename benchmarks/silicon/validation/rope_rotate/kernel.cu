// Rotary embedding of (sequence 1,024 x 64 heads x 128): rotates element d with element d + 64.
// Cosine and sine come from a table, or from the position and a power of the base.
extern "C" __global__ void rope_rotate(const float* __restrict__ input, const float* __restrict__ angles,
                                       float* __restrict__ output) {
#pragma unroll
    for (int k = 0; k < PAIRS_EACH; ++k) {
        int i = (blockIdx.x * PAIRS_EACH + k) * BLOCK_SIZE + threadIdx.x;
        int d = i % 64, row = i / 64, position = row / 64;
        float c, s;
        if (TABLE) {
            c = angles[position * 128 + d];
            s = angles[position * 128 + 64 + d];
        } else {
            sincosf(position * exp2f(d * -0.20762051f), &s, &c);
        }
        float a = input[row * 128 + d], b = input[row * 128 + 64 + d];
        output[row * 128 + d] = a * c - b * s;
        output[row * 128 + 64 + d] = a * s + b * c;
    }
}
