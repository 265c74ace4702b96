// y = x ^ XTEA(counter), 32 double rounds; counters of a thread are 256 apart.
extern "C" __global__ void __launch_bounds__(256)
xtea_counter_stream(const unsigned* __restrict__ key, const uint2* __restrict__ x, uint2* __restrict__ y)
{
    __shared__ uint2 keys[TABLE ? 32 : 1];
    const unsigned k0 = key[0], k1 = key[1], k2 = key[2], k3 = key[3];
    auto chosen = [&](unsigned i) {
        const unsigned low = i & 1 ? k1 : k0, high = i & 1 ? k3 : k2;
        return i & 2 ? high : low;
    };
    if (TABLE) {
        if (threadIdx.x < 32) {
            const unsigned s = threadIdx.x * 0x9e3779b9u, n = s + 0x9e3779b9u;
            keys[threadIdx.x] = make_uint2(chosen(s) + s, chosen(n >> 11) + n);
        }
        __syncthreads();
    }
    unsigned a[EACH], b[EACH], s = 0;
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        a[e] = (blockIdx.x * EACH + e) * 256 + threadIdx.x;
        b[e] = 0x01234567u;
    }
#pragma unroll UNROLL
    for (int r = 0; r < 32; ++r) {
        uint2 k;
        if (TABLE) {
            k = keys[r];
        } else {
            const unsigned n = s + 0x9e3779b9u;
            k.x = chosen(s) + s;
            k.y = chosen(n >> 11) + n;
            s = n;
        }
#pragma unroll
        for (int e = 0; e < EACH; ++e) {
            a[e] += ((b[e] << 4 ^ b[e] >> 5) + b[e]) ^ k.x;
            b[e] += ((a[e] << 4 ^ a[e] >> 5) + a[e]) ^ k.y;
        }
    }
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        const int i = (blockIdx.x * EACH + e) * 256 + threadIdx.x;
        const uint2 v = x[i];
        y[i] = make_uint2(v.x ^ a[e], v.y ^ b[e]);
    }
}
