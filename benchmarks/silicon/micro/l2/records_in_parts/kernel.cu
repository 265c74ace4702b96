// Records of 32 bytes and a header, as quantized numbers are kept, written in parts: LANES lanes share a record, and each
// writes its 32 / LANES bytes by stores of WIDTH bytes. RECORD is what they are apart. Each thread first reads READS times
// 16 bytes, of SOURCE MiB again and again.
#if WIDTH == 1
typedef unsigned char Part;
#elif WIDTH == 2
typedef unsigned short Part;
#else
typedef unsigned int Part;
#endif

extern "C" __global__ void __launch_bounds__(256)
records_in_parts(const uint4* __restrict__ input, char* __restrict__ out) {
    const unsigned thread = blockIdx.x * 256 + threadIdx.x;
    unsigned value = thread;
#pragma unroll
    for (unsigned k = 0; k < READS; ++k) {
        const uint4 read = __ldg(input + (thread * READS + k) % (SOURCE << 16));
        value += read.x + read.y + read.z + read.w;
    }
    Part* to = reinterpret_cast<Part*>(out + (size_t)(thread / LANES) * RECORD + (RECORD - 32)) + thread % LANES * (32 / LANES / WIDTH);
#pragma unroll
    for (unsigned i = 0; i < 32 / LANES / WIDTH; ++i) to[i] = (Part)(value + i);
}
