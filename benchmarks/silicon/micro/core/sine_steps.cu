// Where MUFU.SIN and MUFU.COS change: arguments an eighth of 2^-25 of a turn apart, over three such steps, after 0 turns,
// after a quarter, a half, one and 56 1/2 turns. Prints the bits of argument, sine and cosine: within a step nothing
// changes, and before the first step the sine is zero.
//
//   nvcc -arch=native -O3 sine_steps.cu -o sine_steps && ./sine_steps > sine_steps.h200.csv
#include <cmath>
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

constexpr int POINTS = 25;
constexpr double TURN = 6.283185307179586476925;

__global__ void sines(const float* x, float* sine, float* cosine, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) sine[i] = __sinf(x[i]), cosine[i] = __cosf(x[i]);
}

unsigned bits(float value) {
    unsigned word;
    memcpy(&word, &value, sizeof word);
    return word;
}

int main() {
    const double turns[] = {0, 0.25, 0.5, 1, 56.5};
    constexpr int N = 5 * POINTS;
    float *x, *sine, *cosine;
    cudaMallocManaged(&x, N * sizeof *x);
    cudaMallocManaged(&sine, N * sizeof *sine);
    cudaMallocManaged(&cosine, N * sizeof *cosine);
    for (int i = 0; i < N; i++) x[i] = float((turns[i / POINTS] + std::ldexp(i % POINTS / 8.0, -25)) * TURN);
    sines<<<1, N>>>(x, sine, cosine, N);
    cudaDeviceSynchronize();
    printf("turns,steps,argument,sine,cosine\n");
    for (int i = 0; i < N; i++)
        printf("%g,%g,%08x,%08x,%08x\n", turns[i / POINTS], i % POINTS / 8.0, bits(x[i]), bits(sine[i]), bits(cosine[i]));
}
