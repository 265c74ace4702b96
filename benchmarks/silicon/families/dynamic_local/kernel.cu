// A local array of ENTRIES floats indexed by data: local loads and stores by choice, not by spilling.
extern "C" __global__ void dynamic_local(const int* __restrict__ index, float* __restrict__ out, int n, int steps) {
    float table[ENTRIES];
    int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
#pragma unroll 4
    for (int k = 0; k < ENTRIES; ++k) table[k] = i + k;
    for (int s = 0; s < steps; ++s) {
        int at = index[(s * BLOCK_SIZE + threadIdx.x) % n];
#if UNIFORM
        at = index[s];
#endif
        table[at % ENTRIES] += table[(at >> 8) % ENTRIES] * 0.5f;
    }
    float sum = 0.0f;
#pragma unroll 4
    for (int k = 0; k < ENTRIES; ++k) sum += table[k];
    out[i] = sum;
}
