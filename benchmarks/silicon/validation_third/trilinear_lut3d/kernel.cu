// Colour grading: RGBA bytes through a table of SIDE^3 colours, blended over the eight corners of a cell or over the
// four of a tetrahedron.
__device__ __forceinline__ float4 mix(float4 a, float4 b, float t)
{
    return make_float4(a.x + t * (b.x - a.x), a.y + t * (b.y - a.y), a.z + t * (b.z - a.z), 0.0f);
}

__device__ __forceinline__ void add(float4& s, float w, float4 v)
{
    s.x += w * v.x;
    s.y += w * v.y;
    s.z += w * v.z;
}

extern "C" __global__ void trilinear_lut3d(const uchar4* __restrict__ image, const float4* __restrict__ lut,
                                           uchar4* __restrict__ out, int count)
{
    for (int k = 0; k < PIXELS; ++k) {
        const int i = (blockIdx.x * PIXELS + k) * THREADS + threadIdx.x;
        if (i >= count) return;
        const uchar4 p = image[i];
        const float scale = (SIDE - 1) / 255.0f, r = p.x * scale, g = p.y * scale, b = p.z * scale;
        const int ir = min((int)r, SIDE - 2), ig = min((int)g, SIDE - 2), ib = min((int)b, SIDE - 2);
        const float fr = r - ir, fg = g - ig, fb = b - ib;
        const float4* c = lut + (ib * SIDE + ig) * SIDE + ir;
        constexpr int R = 1, G = SIDE, B = SIDE * SIDE;
        float4 v;
#if TETRA
        v = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        const float top = fmaxf(fr, fmaxf(fg, fb)), low = fminf(fr, fminf(fg, fb)), middle = fr + fg + fb - top - low;
        const int first = top == fr ? R : top == fg ? G : B;
        const int last = low == fb && first != B ? B : low == fg && first != G ? G : R;
        add(v, 1.0f - top, c[0]);
        add(v, top - middle, c[first]);
        add(v, middle - low, c[R + G + B - last]);
        add(v, low, c[R + G + B]);
#else
        const float4 y0 = mix(mix(c[0], c[R], fr), mix(c[G], c[G + R], fr), fg);
        const float4 y1 = mix(mix(c[B], c[B + R], fr), mix(c[B + G], c[B + G + R], fr), fg);
        v = mix(y0, y1, fb);
#endif
        out[i] = make_uchar4(__float2uint_rn(255.0f * v.x), __float2uint_rn(255.0f * v.y), __float2uint_rn(255.0f * v.z), p.w);
    }
}
