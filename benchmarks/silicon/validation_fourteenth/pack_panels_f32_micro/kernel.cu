// packed[panel][column][row in the panel], as a matrix product's micro kernel reads it.
extern "C" __global__ void __launch_bounds__(256)
pack_panels_f32_micro(const float* __restrict__ a, float* __restrict__ packed)
{
    const int id = blockIdx.x * 256 + threadIdx.x;
    if (MODE == 0) {          // along the source, one number
        const int r = id / SIDE, c = id % SIDE;
        packed[(r / PANEL * SIDE + c) * PANEL + r % PANEL] = a[id];
    } else if (MODE == 1) {   // along the source, four numbers
        const int at = id * 4, r = at / SIDE, c = at % SIDE;
        const float4 f = *reinterpret_cast<const float4*>(a + at);
        float* to = packed + (r / PANEL * SIDE + c) * PANEL + r % PANEL;
        to[0] = f.x;
        to[PANEL] = f.y;
        to[2 * PANEL] = f.z;
        to[3 * PANEL] = f.w;
    } else {                  // along the panels
        const int r = id % PANEL, rest = id / PANEL, c = rest % SIDE, p = rest / SIDE;
        packed[id] = a[(p * PANEL + r) * SIDE + c];
    }
}
