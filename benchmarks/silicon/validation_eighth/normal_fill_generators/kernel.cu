// 8,388,608 normal numbers. GENERATOR: 0 squares, 1 PCG hash, 2 Threefry of 12 rounds. TURN: 0 fast, 1 exact, 2 inverse.
struct alignas(VEC * 4) Pack { float v[VEC]; };

__device__ __forceinline__ uint2 bits(unsigned i, unsigned key)
{
    if (GENERATOR == 0) {
        const unsigned long long k = (unsigned long long)key << 32 | 0xc58efd15u, y = i * k, z = y + k;
        unsigned long long x = y * y + y;
        x = x >> 32 | x << 32;
        x = x * x + z;
        x = x >> 32 | x << 32;
        x = x * x + y;
        x = x >> 32 | x << 32;
        return make_uint2((unsigned)(x * x + z >> 32), (unsigned)x);
    }
    if (GENERATOR == 1) {
        uint2 r;
        unsigned s = (2 * i ^ key) * 747796405u + 2891336453u, w = (s >> (s >> 28) + 4 ^ s) * 277803737u;
        r.x = w >> 22 ^ w;
        s = s * 747796405u + 2891336453u;
        w = (s >> (s >> 28) + 4 ^ s) * 277803737u;
        r.y = w >> 22 ^ w;
        return r;
    }
    const unsigned ks[3] = {key, key ^ 0x9e3779b9u, 0x1bd11bdau ^ 0x9e3779b9u};
    const int turns[8] = {13, 15, 26, 6, 17, 29, 16, 24};
    unsigned a = i + ks[0], b = ks[1];
#pragma unroll
    for (int r = 0; r < 12; ++r) {
        a += b;
        b = __funnelshift_l(b, b, turns[r % 8]) ^ a;
        if (r % 4 == 3) {
            a += ks[(r / 4 + 1) % 3];
            b += ks[(r / 4 + 2) % 3] + r / 4 + 1;
        }
    }
    return make_uint2(a, b);
}

__device__ __forceinline__ float inverse(unsigned u)  // Giles' approximation of the inverse error function
{
    const float x = ((int)u >> 8) * (1.0f / 8388608.0f) + (0.5f / 8388608.0f);
    float w = -__logf(1.0f - x * x), p;
    if (w < 5.0f) {
        w -= 2.5f;
        p = 2.81022636e-08f;
        p = 3.43273939e-07f + p * w;
        p = -3.5233877e-06f + p * w;
        p = -4.39150654e-06f + p * w;
        p = 0.00021858087f + p * w;
        p = -0.00125372503f + p * w;
        p = -0.00417768164f + p * w;
        p = 0.246640727f + p * w;
        p = 1.50140941f + p * w;
    } else {
        w = sqrtf(w) - 3.0f;
        p = -0.000200214257f;
        p = 0.000100950558f + p * w;
        p = 0.00134934322f + p * w;
        p = -0.00367342844f + p * w;
        p = 0.00573950773f + p * w;
        p = -0.0076224613f + p * w;
        p = 0.00943887047f + p * w;
        p = 1.00167406f + p * w;
        p = 2.83297682f + p * w;
    }
    return 1.41421356f * p * x;
}

extern "C" __global__ void __launch_bounds__(256)
normal_fill_generators(Pack* __restrict__ y, unsigned key)
{
    const unsigned i = blockIdx.x * 256 + threadIdx.x;
    Pack p;
#pragma unroll
    for (int j = 0; j < VEC; j += 2) {
        const uint2 r = bits(i * (VEC / 2) + j / 2, key);
        if (TURN == 2) {
            p.v[j] = inverse(r.x);
            p.v[j + 1] = inverse(r.y);
        } else {
            const float u = (r.x >> 8) * (1.0f / 16777216.0f) + (0.5f / 16777216.0f), a = (r.y >> 8) * (1.0f / 8388608.0f);
            float s, c, length;
            if (TURN == 0) {
                length = sqrtf(-2.0f * __logf(u));
                __sincosf(a * 3.14159265f, &s, &c);
            } else {
                length = sqrtf(-2.0f * logf(u));
                sincospif(a, &s, &c);
            }
            p.v[j] = length * c;
            p.v[j + 1] = length * s;
        }
    }
    y[i] = p;
}
