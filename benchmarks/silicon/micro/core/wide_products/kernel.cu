// 512 operations a warp of a pattern, timed with the SM clock on the second pass. Each letter is an operation on one of four
// values of its own: W, IMAD.WIDE; H, IMAD.HI; I, IMAD; A, IADD3; L, LOP3; F, FFMA; and of FP64 D, DFMA; C, F2I.U32 and I2F.U32 of
// the result; R, FRND; N, F2F to FP32 and back; E, DFMA of three values that change.
constexpr char PATTERNS[][9] = {
    "W", "WA", "WAA", "WAAA", "WAAAA", "WL", "WLL", "WI", "WIA", "WIAA", "WIAAA", "WIIAA", "WF", "WFF", "WFFF", "WFA", "WFFAA",
    "WWAAA", "WWIAAAA", "WWAALLA", "WH", "H", "HA", "HAAA", "HF", "IA", "IIA", "IF", "IFA", "WWWAFI",
    "D", "C", "R", "N", "CD", "CDD", "CDDDD", "ND", "NDD", "RD", "RDD", "RDDDD", "CR", "CRN", "CRD", "CRDDDD", "CF", "RF",
    "DF", "DFF", "DFFFF", "DDF", "DA", "DAA", "DAAAA", "DI", "DL", "E", "EF", "EFF", "EFFFF", "EA", "EAA", "RE", "REE", "REEEE",
};

constexpr __device__ int length(const char* text) { return *text ? 1 + length(text + 1) : 0; }

extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
wide_products(long long* __restrict__ cycles, unsigned long long* __restrict__ sink, unsigned a, unsigned b) {
    constexpr int SIZE = length(PATTERNS[PATTERN]), STEPS = 512 / SIZE;
    unsigned long long wide[4];
    unsigned word[4], high[4], low[4], added[4];
    float single[4];
    double real[4], rounded[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        wide[i] = word[i] = high[i] = low[i] = added[i] = a + i + threadIdx.x;
        single[i] = real[i] = rounded[i] = 1.0f + i;
    }
    const float f = a, g = b;
    const double d = a, e = b;
    long long began = 0;
    for (int pass = 0; pass < 2; ++pass) {
        __syncthreads();
        began = clock64();
#pragma unroll
        for (int step = 0; step < STEPS; ++step)
#pragma unroll
            for (int k = 0; k < SIZE; ++k) {
                const int i = (step * SIZE + k) % 4;
                switch (PATTERNS[PATTERN][k]) {
                    case 'W': asm volatile("{.reg .u32 l, h; mov.b64 {l, h}, %0; mad.wide.u32 %0, l, %1, %0;}" : "+l"(wide[i]) : "r"(a)); break;
                    case 'H': asm volatile("mad.hi.u32 %0, %0, %1, %2;" : "+r"(high[i]) : "r"(a), "r"(b)); break;
                    case 'I': asm volatile("mad.lo.u32 %0, %0, %1, %2;" : "+r"(low[i]) : "r"(a), "r"(b)); break;
                    case 'A': asm volatile("{.reg .u32 t; add.u32 t, %0, %1; add.u32 %0, t, %2;}" : "+r"(added[i]) : "r"(a), "r"(b)); break;
                    case 'L': asm volatile("lop3.b32 %0, %0, %1, %2, 0x96;" : "+r"(word[i]) : "r"(a), "r"(b)); break;
                    case 'F': asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(single[i]) : "f"(f), "f"(g)); break;
                    case 'D': asm volatile("fma.rn.f64 %0, %0, %1, %2;" : "+d"(real[i]) : "d"(d), "d"(e)); break;
                    case 'E': asm volatile("fma.rn.f64 %0, %0, %1, %2;" : "+d"(real[i]) : "d"(real[(i + 1) % 4]), "d"(real[(i + 2) % 4])); break;
                    case 'C': asm volatile("{.reg .u32 t; cvt.rzi.u32.f64 t, %0; cvt.rn.f64.u32 %0, t;}" : "+d"(real[i])); break;
                    case 'R': asm volatile("cvt.rmi.f64.f64 %0, %0;" : "+d"(rounded[i])); break;
                    case 'N': asm volatile("{.reg .f32 t; cvt.rn.f32.f64 t, %0; cvt.f64.f32 %0, t;}" : "+d"(real[i])); break;
                }
            }
    }
    const int thread = blockIdx.x * BLOCK_SIZE + threadIdx.x;
    cycles[thread] = clock64() - began;
    unsigned long long sum = 0;
#pragma unroll
    for (int i = 0; i < 4; ++i)
        sum += wide[i] + word[i] + high[i] + low[i] + added[i] + __float_as_uint(single[i]) + __double_as_longlong(real[i] + rounded[i]);
    sink[thread] = sum;
}
