// Tensor cores: WMMA, mma.sync, ldmatrix, stmatrix.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;
#define T threadIdx.x

__device__ unsigned shared_address(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }

extern "C" __global__ void wmma_half(const half* a, const half* b, const float* c, float* d) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    wmma::load_matrix_sync(fc, c, 16, wmma::mem_row_major);
    for (int k = 0; k < 32; k += 16) {
        wmma::load_matrix_sync(fa, a + k, 32);
        wmma::load_matrix_sync(fb, b + k, 32);
        wmma::mma_sync(fc, fa, fb, fc);
    }
    for (int i = 0; i < fc.num_elements; ++i) fc.x[i] *= 2;
    wmma::store_matrix_sync(d, fc, 16, wmma::mem_row_major);
}

extern "C" __global__ void wmma_half_in_half(const half* a, const half* b, half* d) {
    wmma::fragment<wmma::matrix_a, 32, 8, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 32, 8, 16, half, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, 32, 8, 16, half> fc;
    wmma::fill_fragment(fc, __float2half(1.f));
    wmma::load_matrix_sync(fa, a, 16);
    wmma::load_matrix_sync(fb, b, 8);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(d, fc, 8, wmma::mem_row_major);
}

extern "C" __global__ void wmma_bfloat(const __nv_bfloat16* a, const __nv_bfloat16* b, float* d) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    wmma::fill_fragment(fc, 0.f);
    wmma::load_matrix_sync(fa, a, 16);
    wmma::load_matrix_sync(fb, b, 16);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(d, fc, 16, wmma::mem_col_major);
}

extern "C" __global__ void wmma_tf32(const float* a, const float* b, float* d) {
    wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 8, float> fc;
    wmma::fill_fragment(fc, 0.f);
    wmma::load_matrix_sync(fa, a, 8);
    wmma::load_matrix_sync(fb, b, 8);
    for (int i = 0; i < fa.num_elements; ++i) fa.x[i] = wmma::__float_to_tf32(fa.x[i]);
    for (int i = 0; i < fb.num_elements; ++i) fb.x[i] = wmma::__float_to_tf32(fb.x[i]);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(d, fc, 16, wmma::mem_row_major);
}

extern "C" __global__ void wmma_int8(const signed char* a, const signed char* b, int* d) {
    wmma::fragment<wmma::matrix_a, 8, 32, 16, signed char, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 8, 32, 16, signed char, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 8, 32, 16, int> fc;
    wmma::fill_fragment(fc, 3);
    wmma::load_matrix_sync(fa, a, 16);
    wmma::load_matrix_sync(fb, b, 16);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(d, fc, 32, wmma::mem_row_major);
}

extern "C" __global__ void wmma_double(const double* a, const double* b, double* d) {
    wmma::fragment<wmma::matrix_a, 8, 8, 4, double, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 8, 8, 4, double, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 8, 8, 4, double> fc;
    wmma::fill_fragment(fc, 0.);
    for (int k = 0; k < 16; k += 4) {
        wmma::load_matrix_sync(fa, a + k, 16);
        wmma::load_matrix_sync(fb, b + k, 16);
        wmma::mma_sync(fc, fa, fb, fc);
    }
    wmma::store_matrix_sync(d, fc, 8, wmma::mem_row_major);
}

// A 32 x 16 x 64 product of one warp: ldmatrix of both operands, mma.sync, and stores of pairs.
extern "C" __global__ void gemm_with_ldmatrix(const half* a, const half* b, float* d) {
    __shared__ alignas(16) half sa[32 * 64], sb[64 * 16];
    for (int i = T; i < 32 * 64 / 8; i += 32) ((uint4*)sa)[i] = ((const uint4*)a)[i];
    for (int i = T; i < 64 * 16 / 8; i += 32) ((uint4*)sb)[i] = ((const uint4*)b)[i];
    __syncwarp();
    float acc[2][2][4] = {};
    for (int k = 0; k < 64; k += 16) {
        unsigned fb[4];
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(fb[0]), "=r"(fb[1]), "=r"(fb[2]), "=r"(fb[3])
                     : "r"(shared_address(sb + (k + T % 16) * 16 + T / 16 * 8)));
        for (int m = 0; m < 2; ++m) {
            unsigned fa[4];
            asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                         : "=r"(fa[0]), "=r"(fa[1]), "=r"(fa[2]), "=r"(fa[3])
                         : "r"(shared_address(sa + (m * 16 + T % 16) * 64 + k + T / 16 * 8)));
            for (int n = 0; n < 2; ++n)
                asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                             : "+f"(acc[m][n][0]), "+f"(acc[m][n][1]), "+f"(acc[m][n][2]), "+f"(acc[m][n][3])
                             : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[2 * n]), "r"(fb[2 * n + 1]));
        }
    }
    for (int m = 0; m < 2; ++m)
        for (int n = 0; n < 2; ++n)
            for (int h = 0; h < 2; ++h)
                *(float2*)(d + (m * 16 + T / 4 + 8 * h) * 16 + n * 8 + T % 4 * 2) = make_float2(acc[m][n][2 * h], acc[m][n][2 * h + 1]);
}

extern "C" __global__ void mma_int8(const int* a, const int* b, int* d) {
    int acc[4] = {1, 2, 3, 4}, row = T / 4, column = T % 4;
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+r"(acc[0]), "+r"(acc[1]), "+r"(acc[2]), "+r"(acc[3])
                 : "r"(a[row * 8 + column]), "r"(a[(row + 8) * 8 + column]), "r"(a[row * 8 + column + 4]), "r"(a[(row + 8) * 8 + column + 4]),
                   "r"(b[row * 8 + column]), "r"(b[row * 8 + column + 4]));
    for (int k = 0; k < 4; ++k) d[(row + k / 2 * 8) * 8 + column * 2 + k % 2] = acc[k];
}

extern "C" __global__ void mma_half_in_half(const unsigned* a, const unsigned* b, unsigned* d) {
    unsigned acc[2] = {0, 0}, row = T / 4, column = T % 4;
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3}, {%4}, {%0, %1};"
                 : "+r"(acc[0]), "+r"(acc[1]) : "r"(a[row * 4 + column]), "r"(a[(row + 8) * 4 + column]), "r"(b[row * 4 + column]));
    d[row * 4 + column] = acc[0], d[(row + 8) * 4 + column] = acc[1];
}

extern "C" __global__ void transposed_matrices(const unsigned short* x, unsigned short* out) {
    __shared__ alignas(16) unsigned short s[256];
    for (int k = 0; k < 8; ++k) s[T * 8 + k] = x[T * 8 + k];
    __syncwarp();
    unsigned v[4];
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3]) : "r"(shared_address(s + T * 8)));
    for (int m = 0; m < 4; ++m) *(unsigned*)(out + m * 64 + T / 4 * 8 + T % 4 * 2) = v[m];
}

extern "C" __global__ void product_of_bits(const unsigned* a, const unsigned* b, int* d) {
    int acc[4] = {};
    asm volatile("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+r"(acc[0]), "+r"(acc[1]), "+r"(acc[2]), "+r"(acc[3]) : "r"(a[T]), "r"(a[T + 32]), "r"(a[T + 64]), "r"(a[T + 96]), "r"(b[T]), "r"(b[T + 32]));
    for (int k = 0; k < 4; ++k) d[T * 4 + k] = acc[k];
}

extern "C" __global__ void sparse_product(const unsigned* a, const unsigned* b, unsigned e, float* d) {
    float acc[4] = {};
    asm volatile("mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6, %7}, {%0, %1, %2, %3}, %8, 0x0;"
                 : "+f"(acc[0]), "+f"(acc[1]), "+f"(acc[2]), "+f"(acc[3]) : "r"(a[T]), "r"(a[T + 32]), "r"(b[T]), "r"(b[T + 32]), "r"(e));
    for (int k = 0; k < 4; ++k) d[T * 4 + k] = acc[k];
}
