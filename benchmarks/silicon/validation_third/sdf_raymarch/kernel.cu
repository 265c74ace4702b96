// Sphere tracing of a scene of signed distances (a floor, a torus, repeated spheres, a rounded box), shaded by the
// gradient, with soft shadows or without.
__device__ __forceinline__ float length3(float x, float y, float z) { return sqrtf(x * x + y * y + z * z); }

__device__ float scene(float x, float y, float z)
{
    float d = y + 1.0f;
    const float ring = sqrtf(x * x + z * z) - 1.2f;
    d = fminf(d, sqrtf(ring * ring + (y - 0.2f) * (y - 0.2f)) - 0.3f);
    const float rx = x - 3.0f * rintf(x * (1.0f / 3.0f)), rz = z - 3.0f * rintf(z * (1.0f / 3.0f));
    d = fminf(d, length3(rx, y + 0.6f, rz) - 0.4f);
    const float bx = fmaxf(fabsf(x) - 0.4f, 0.0f), by = fmaxf(fabsf(y - 0.4f) - 0.4f, 0.0f), bz = fmaxf(fabsf(z) - 0.4f, 0.0f);
    const float box = length3(bx, by, bz) - 0.1f, h = fminf(fmaxf(0.5f + 2.0f * (box - d), 0.0f), 1.0f);
    return box + h * (d - box) - 0.25f * h * (1.0f - h);
}

extern "C" __global__ void sdf_raymarch(float4* __restrict__ image, int width, int height, float turn)
{
    const int x = blockIdx.x * BLOCK_X + threadIdx.x, y = blockIdx.y * BLOCK_Y + threadIdx.y;
    if (x >= width || y >= height) return;
    const float u = (2.0f * x - width) / height, v = (height - 2.0f * y) / height;
    float sn, cs;
    __sincosf(turn, &sn, &cs);
    const float inverse = rsqrtf(u * u + v * v + 2.25f);
    const float fx = u * inverse, dy = (v - 0.4f) * inverse, fz = -1.5f * inverse;
    const float dx = cs * fx - sn * fz, dz = sn * fx + cs * fz, ox = 5.0f * -sn, oy = 1.6f, oz = 5.0f * cs;
    float t = 0.0f;
    int step = 0;
    for (; step < STEPS && t < 20.0f; ++step) {
        const float d = scene(ox + t * dx, oy + t * dy, oz + t * dz);
        if (d < 0.001f) break;
        t += d;
    }
    float4 colour = make_float4(0.5f + 0.5f * dy, 0.6f, 0.8f, 1.0f);
    if (t < 20.0f) {
        const float px = ox + t * dx, py = oy + t * dy, pz = oz + t * dz, e = 0.002f;
        const float nx = scene(px + e, py, pz) - scene(px - e, py, pz), ny = scene(px, py + e, pz) - scene(px, py - e, pz);
        const float nz = scene(px, py, pz + e) - scene(px, py, pz - e);
        float light = fmaxf((0.6f * nx + 0.7f * ny + 0.39f * nz) * rsqrtf(nx * nx + ny * ny + nz * nz + 1e-12f), 0.0f);
#if SHADOWS
        float shade = 1.0f, s = 0.05f;
        for (int k = 0; k < 32 && s < 6.0f; ++k) {
            const float d = scene(px + s * 0.6f, py + s * 0.7f, pz + s * 0.39f);
            if (d < 0.001f) {
                shade = 0.0f;
                break;
            }
            shade = fminf(shade, 8.0f * d / s);
            s += d;
        }
        light *= shade;
#endif
        colour = make_float4(0.1f + 0.8f * light, 0.1f + 0.7f * light, 0.15f + 0.5f * light, t);
    }
    image[y * width + x] = colour;
}
