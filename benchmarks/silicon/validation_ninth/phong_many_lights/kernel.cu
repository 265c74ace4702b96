// Diffuse and specular light with falloff; the eye is above the origin; a lamp is a position and a colour.
__constant__ float4 fixed_lamp[2 * LIGHTS];

extern "C" __global__ void __launch_bounds__(256)
phong_many_lights(const float4* __restrict__ position, const float4* __restrict__ normal, const float4* __restrict__ lamp,
                  float4* __restrict__ out)
{
    __shared__ float4 shared_lamp[PLACE == 1 ? 2 * LIGHTS : 1];
    if (PLACE == 1) {
        if (threadIdx.x < 2 * LIGHTS) shared_lamp[threadIdx.x] = lamp[threadIdx.x];
        __syncthreads();
    }
    float4 at[EACH], n[EACH], sum[EACH];
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        const int i = (blockIdx.x * EACH + e) * 256 + threadIdx.x;
        at[e] = position[i];
        n[e] = normal[i];
        const float r = rsqrtf(n[e].x * n[e].x + n[e].y * n[e].y + n[e].z * n[e].z + 1.0e-8f);
        n[e] = make_float4(n[e].x * r, n[e].y * r, n[e].z * r, 0.0f);
        sum[e] = make_float4(0.05f, 0.05f, 0.05f, 1.0f);
    }
#pragma unroll 4
    for (int l = 0; l < LIGHTS; ++l) {
        const float4 where = PLACE == 0 ? fixed_lamp[2 * l] : PLACE == 1 ? shared_lamp[2 * l] : lamp[2 * l];
        const float4 colour = PLACE == 0 ? fixed_lamp[2 * l + 1] : PLACE == 1 ? shared_lamp[2 * l + 1] : lamp[2 * l + 1];
#pragma unroll
        for (int e = 0; e < EACH; ++e) {
            const float x = where.x - at[e].x, y = where.y - at[e].y, z = where.z + 2.0f - at[e].z;
            const float square = x * x + y * y + z * z + 1.0e-6f, r = rsqrtf(square);
            const float cosine = fmaxf((x * n[e].x + y * n[e].y + z * n[e].z) * r, 0.0f);
            const float hx = x * r - at[e].x, hy = y * r - at[e].y, hz = z * r + 3.0f - at[e].z;
            const float shine = fmaxf((hx * n[e].x + hy * n[e].y + hz * n[e].z) * rsqrtf(hx * hx + hy * hy + hz * hz + 1.0e-6f), 0.0f);
            const float s2 = shine * shine, s4 = s2 * s2, s8 = s4 * s4, power = (cosine + s8 * s8) * colour.w * r * r;
            sum[e].x += power * colour.x;
            sum[e].y += power * colour.y;
            sum[e].z += power * colour.z;
        }
    }
#pragma unroll
    for (int e = 0; e < EACH; ++e) out[(blockIdx.x * EACH + e) * 256 + threadIdx.x] = sum[e];
}
