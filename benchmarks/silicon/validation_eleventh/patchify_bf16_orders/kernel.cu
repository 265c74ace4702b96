// Images of 3 x 224 x 224 are cut into patches; threads follow the images (0) or the patches (1).
struct alignas(VEC * 2) Pack { unsigned short v[VEC]; };
constexpr int SIDE = 224 / PATCH, WIDE = 224 / VEC, PW = PATCH / VEC;

extern "C" __global__ void __launch_bounds__(256)
patchify_bf16_orders(const Pack* __restrict__ image, Pack* __restrict__ patches)
{
    Pack p[EACH];
    int to[EACH];
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        int i = (blockIdx.x * EACH + e) * 256 + threadIdx.x;
        if (BY_PATCH) {
            to[e] = i;
            const int px = i % PW, py = i / PW % PATCH, c = i / (PW * PATCH) % 3, patch = i / (PW * PATCH * 3);
            const int bx = patch % SIDE, by = patch / SIDE % SIDE, n = patch / (SIDE * SIDE);
            p[e] = image[((n * 3 + c) * 224 + by * PATCH + py) * WIDE + bx * PW + px];
        } else {
            const int x = i % WIDE, y = i / WIDE % 224, c = i / (WIDE * 224) % 3, n = i / (WIDE * 224 * 3);
            to[e] = ((((n * SIDE + y / PATCH) * SIDE + x / PW) * 3 + c) * PATCH + y % PATCH) * PW + x % PW;
            p[e] = image[i];
        }
    }
#pragma unroll
    for (int e = 0; e < EACH; ++e) patches[to[e]] = p[e];
}
