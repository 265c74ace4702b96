// One primary ray a pixel, up to BOUNCES reflections; every ray is tested against every sphere.
extern "C" __global__ void ray_spheres(const float4* __restrict__ scene, float* __restrict__ frame)
{
    constexpr int BLOCK_Y = 128 / BLOCK_X;
#if IN_SHARED
    __shared__ float4 objects[2 * SPHERES];
    for (int i = threadIdx.y * BLOCK_X + threadIdx.x; i < 2 * SPHERES; i += 128) objects[i] = scene[i];
    __syncthreads();
#else
    const float4* objects = scene;
#endif
    const int px = blockIdx.x * BLOCK_X + threadIdx.x, py = blockIdx.y * BLOCK_Y + threadIdx.y;
    float ox = 0.5f, oy = 0.5f, oz = -2.0f;
    float dx = (px - 511.5f) * 0.0007f, dy = (py - 255.5f) * 0.0007f, dz = 1.0f;
    const float norm = rsqrtf(dx * dx + dy * dy + dz * dz);
    dx *= norm;
    dy *= norm;
    dz *= norm;
    float colour = 0.0f, weight = 1.0f;
    for (int b = 0; b < BOUNCES; ++b) {
        float nearest = 1e20f;
        int hit = -1;
        for (int s = 0; s < SPHERES; ++s) {
            const float4 o = objects[2 * s];
            const float cx = o.x - ox, cy = o.y - oy, cz = o.z - oz, radius = 0.03f + 0.05f * o.w;
            const float along = cx * dx + cy * dy + cz * dz;
            const float d2 = cx * cx + cy * cy + cz * cz - along * along;
            if (d2 < radius * radius) {
                const float t = along - sqrtf(radius * radius - d2);
                if (t > 1e-3f && t < nearest) {
                    nearest = t;
                    hit = s;
                }
            }
        }
        if (hit < 0) {
            colour += weight * (0.5f + 0.5f * dy);
            break;
        }
        const float4 o = objects[2 * hit], surface = objects[2 * hit + 1];
        ox += nearest * dx;
        oy += nearest * dy;
        oz += nearest * dz;
        const float inverse = 1.0f / (0.03f + 0.05f * o.w);
        const float nx = (ox - o.x) * inverse, ny = (oy - o.y) * inverse, nz = (oz - o.z) * inverse;
        colour += weight * surface.x * fmaxf(0.57735f * (nx + ny - nz), 0.1f);
        const float twice = 2.0f * (dx * nx + dy * ny + dz * nz);
        dx -= twice * nx;
        dy -= twice * ny;
        dz -= twice * nz;
        weight *= 0.7f * surface.y;
    }
    frame[py * 1024 + px] = colour;
}
