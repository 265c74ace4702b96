// Semi-Lagrangian advection of one or four quantities, as stable fluids have it: a cell looks back along its velocity
// and interpolates there.
constexpr int N = 1024;

struct alignas(4 * CHANNELS) Cell { float v[CHANNELS]; };

extern "C" __global__ void semilag_advect(const float2* __restrict__ velocity, const Cell* __restrict__ in,
                                          Cell* __restrict__ out, float dt)
{
    const int x = blockIdx.x * BLOCK_X + threadIdx.x, y = blockIdx.y * BLOCK_Y + threadIdx.y, at = y * N + x;
    const float2 speed = velocity[at];
    const float px = fminf(fmaxf(x - dt * (speed.x - 0.5f), 0.0f), N - 1.001f);
    const float py = fminf(fmaxf(y - dt * (speed.y - 0.5f), 0.0f), N - 1.001f);
    const int x0 = min((int)px, N - 2), y0 = min((int)py, N - 2);
    const float fx = px - x0, fy = py - y0;
    const Cell a = in[y0 * N + x0], b = in[y0 * N + x0 + 1], c = in[(y0 + 1) * N + x0], d = in[(y0 + 1) * N + x0 + 1];
    Cell r;
#pragma unroll
    for (int k = 0; k < CHANNELS; ++k) {
        const float top = a.v[k] + fx * (b.v[k] - a.v[k]), bottom = c.v[k] + fx * (d.v[k] - c.v[k]);
        r.v[k] = top + fy * (bottom - top);
    }
    out[at] = r;
}
