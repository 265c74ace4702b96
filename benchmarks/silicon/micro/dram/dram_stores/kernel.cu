// Streams larger than L2: every lane reads a word (unless READS is 0) and writes one, STRIDE words apart: whole sectors, parts
// of sectors and lone sectors on their way to DRAM.
extern "C" __global__ void dram_stores(const float* __restrict__ data, float* __restrict__ out) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    float x = READS ? data[i] : 1.0f;
    out[i * STRIDE] = x + 1.0f;
}
