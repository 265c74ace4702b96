// Updates in place, or to another array, by warps that share lines: an access of a warp is 32 to 512 bytes, and begins SHIFT bytes into a line.
template <int> struct Of;
template <> struct Of<1> { typedef unsigned char type; };
template <> struct Of<2> { typedef unsigned short type; };
template <> struct Of<4> { typedef unsigned type; };
template <> struct Of<8> { typedef uint2 type; };
template <> struct Of<16> { typedef uint4 type; };

__device__ unsigned char next(unsigned char x) { return x + 1; }
__device__ unsigned short next(unsigned short x) { return x + 1; }
__device__ unsigned next(unsigned x) { return x + 1; }
__device__ uint2 next(uint2 x) { return make_uint2(x.x + 1, x.y + 1); }
__device__ uint4 next(uint4 x) { return make_uint4(x.x + 1, x.y + 1, x.z + 1, x.w + 1); }

extern "C" __global__ void parts_of_lines(unsigned char* data, unsigned char* other) {
    typedef Of<BYTES>::type T;
    const size_t at = (size_t)(blockIdx.x * blockDim.x + threadIdx.x) * BYTES + SHIFT;
    const T x = *(const T*)(data + at);
    *(T*)((IN_PLACE ? data : other) + at) = next(x);
}
