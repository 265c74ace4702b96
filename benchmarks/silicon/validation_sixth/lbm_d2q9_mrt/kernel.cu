// 768 x 640 cells, periodic. Populations are pulled, turned into moments, relaxed and turned back.
constexpr int WIDTH = 768, HEIGHT = 640;

#if ARRAYS
#define AT(q, x, y) ((size_t)(q) * WIDTH * HEIGHT + (y) * WIDTH + (x))
#else
#define AT(q, x, y) ((size_t)((y) * WIDTH + (x)) * 9 + (q))
#endif

extern "C" __global__ void lbm_d2q9_mrt(const float* __restrict__ from, float* __restrict__ to, float viscous)
{
    const int x = blockIdx.x * THREADS + threadIdx.x, y = blockIdx.y;
    const int west = x == 0 ? WIDTH - 1 : x - 1, east = x == WIDTH - 1 ? 0 : x + 1;
    const int south = y == 0 ? HEIGHT - 1 : y - 1, north = y == HEIGHT - 1 ? 0 : y + 1;
    const float f0 = from[AT(0, x, y)], f1 = from[AT(1, west, y)], f2 = from[AT(2, x, south)];
    const float f3 = from[AT(3, east, y)], f4 = from[AT(4, x, north)], f5 = from[AT(5, west, south)];
    const float f6 = from[AT(6, east, south)], f7 = from[AT(7, east, north)], f8 = from[AT(8, west, north)];
    const float axis = f1 + f2 + f3 + f4, corner = f5 + f6 + f7 + f8;
    const float rho = f0 + axis + corner;
    float e = -4.0f * f0 - axis + 2.0f * corner;
    float eps = 4.0f * f0 - 2.0f * axis + corner;
    const float jx = f1 - f3 + f5 - f6 - f7 + f8;
    float qx = -2.0f * (f1 - f3) + f5 - f6 - f7 + f8;
    const float jy = f2 - f4 + f5 + f6 - f7 - f8;
    float qy = -2.0f * (f2 - f4) + f5 + f6 - f7 - f8;
    float pxx = f1 - f2 + f3 - f4;
    float pxy = f5 - f6 + f7 - f8;
    const float inverse = 1.0f / (rho + 1e-6f), jj = (jx * jx + jy * jy) * inverse;
    e -= 1.64f * (e + 2.0f * rho - 3.0f * jj);
    eps -= 1.54f * (eps - rho + 3.0f * jj);
    qx -= 1.7f * (qx + jx);
    qy -= 1.7f * (qy + jy);
    pxx -= viscous * (pxx - (jx * jx - jy * jy) * inverse);
    pxy -= viscous * (pxy - jx * jy * inverse);
    const float r = rho / 9.0f, ea = e / 36.0f, eb = eps / 36.0f;
    const float jx6 = jx / 6.0f, jy6 = jy / 6.0f, qx12 = qx / 12.0f, qy12 = qy / 12.0f;
    const float mid = r - ea - 2.0f * eb, out = r + 2.0f * ea + eb;
    to[AT(0, x, y)] = r - 4.0f * ea + 4.0f * eb;
    to[AT(1, x, y)] = mid + jx6 - 2.0f * qx12 + 0.25f * pxx;
    to[AT(2, x, y)] = mid + jy6 - 2.0f * qy12 - 0.25f * pxx;
    to[AT(3, x, y)] = mid - jx6 + 2.0f * qx12 + 0.25f * pxx;
    to[AT(4, x, y)] = mid - jy6 + 2.0f * qy12 - 0.25f * pxx;
    to[AT(5, x, y)] = out + jx6 + jy6 + qx12 + qy12 + 0.25f * pxy;
    to[AT(6, x, y)] = out - jx6 + jy6 - qx12 + qy12 - 0.25f * pxy;
    to[AT(7, x, y)] = out - jx6 - jy6 - qx12 - qy12 + 0.25f * pxy;
    to[AT(8, x, y)] = out + jx6 - jy6 + qx12 - qy12 - 0.25f * pxy;
}
