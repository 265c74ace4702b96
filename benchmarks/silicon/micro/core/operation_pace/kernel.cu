// As operation_chain, of further operations: CHAINS chains of dependent operations a warp, timed with the SM clock on the second pass.
// Further steps change two words.
#define STEP(text) asm volatile(text : "+r"(x) : "r"(a), "r"(b))
#define STEP_OF_TWO(text) asm volatile(text : "+r"(x), "+r"(y) : "r"(a), "r"(b))

__device__ __forceinline__ void step(unsigned& x, unsigned& y, unsigned a, unsigned b) {
#if OP == 0
    STEP("mad.hi.u32 %0, %0, %1, %2;");
#elif OP == 1
    STEP("mul.hi.u32 %0, %0, %1;");
#elif OP == 2
    STEP("mul.hi.s32 %0, %0, %1;");
#elif OP == 3
    STEP("{.reg .u64 t; .reg .u32 h; mul.wide.u32 t, %0, %1; mov.b64 {%0, h}, t;}");
#elif OP == 4
    STEP("{.reg .u64 t; .reg .u32 h; mul.wide.u32 t, %0, %1; mov.b64 {h, %0}, t;}");
#elif OP == 5
    STEP("add.u32 %0, %0, %1;");
#elif OP == 6
    STEP("min.u32 %0, %0, %1;");
#elif OP == 7
    STEP("max.s32 %0, %0, %1;");
#elif OP == 8
    STEP("abs.s32 %0, %0;");
#elif OP == 9
    STEP("brev.b32 %0, %0;");
#elif OP == 10
    STEP("bfe.s32 %0, %0, 3, 9;");
#elif OP == 11
    STEP("dp4a.u32.u32 %0, %0, %1, %2;");
#elif OP == 12
    STEP("dp2a.lo.u32.u32 %0, %0, %1, %2;");
#elif OP == 13
    STEP("vabsdiff.u32.u32.u32 %0, %0, %1;");
#elif OP == 14
    STEP("add.rn.f16x2 %0, %0, %1;");
#elif OP == 15
    STEP("mul.rn.f16x2 %0, %0, %1;");
#elif OP == 16
    STEP("max.f16x2 %0, %0, %1;");
#elif OP == 17
    STEP("fma.rn.bf16x2 %0, %0, %1, %2;");
#elif OP == 18
    STEP("{.reg .f16 h; .reg .b16 g; mov.b32 {h, g}, %0; cvt.f32.f16 %0, h;}");
#elif OP == 19
    STEP("cvt.rn.f16x2.f32 %0, %0, %1;");
#elif OP == 20
    STEP("cvt.rn.bf16x2.f32 %0, %0, %1;");
#elif OP == 21
    STEP("mul.rn.f32 %0, %0, %1;");
#elif OP == 22
    STEP("max.f32 %0, %0, %1;");
#elif OP == 23
    STEP("{.reg .pred p; setp.lt.f32 p, %0, %1; selp.b32 %0, %2, %0, p;}");
#elif OP == 24
    STEP("cvt.rni.f32.f32 %0, %0;");
#elif OP == 25
    STEP("cvt.rn.f32.u32 %0, %0;");
#elif OP == 26
    STEP("cvt.rni.s32.f32 %0, %0;");
#elif OP == 27
    STEP("rcp.approx.ftz.f32 %0, %0;");
#elif OP == 28
    STEP("sqrt.approx.ftz.f32 %0, %0;");
#elif OP == 29
    STEP("lg2.approx.ftz.f32 %0, %0;");
#elif OP == 30
    STEP("tanh.approx.f32 %0, %0;");
#elif OP == 31
    STEP("ex2.approx.f16x2 %0, %0;");
#elif OP == 32
    STEP("sin.approx.ftz.f32 %0, %0;");
#elif OP == 33
    STEP("{.reg .u64 t, s; mov.b64 t, {%0, %1}; mov.b64 s, {%1, %2}; add.u64 t, t, s; mov.b64 {%0, %2}, t;}");
#elif OP == 34
    STEP("{.reg .u64 t, s; mov.b64 t, {%0, %1}; mov.b64 s, {%1, %2}; min.u64 t, t, s; mov.b64 {%0, %2}, t;}");
#elif OP == 35
    STEP("{.reg .u64 t, s; mov.b64 t, {%0, %1}; mov.b64 s, {%1, %2}; mul.lo.u64 t, t, s; mov.b64 {%0, %2}, t;}");
#elif OP == 36
    STEP("shl.b32 %0, %0, %1;");
#elif OP == 37
    STEP("{.reg .u64 t; mov.b64 t, {%0, %1}; shr.u64 t, t, %2; mov.b64 {%0, %2}, t;}");
#elif OP == 38
    STEP("shfl.sync.idx.b32 %0, %0, %1, 31, -1;");
#elif OP == 39
    STEP("shfl.sync.bfly.b32 %0, %0, 4, 31, -1;");
#elif OP == 40
    STEP("{.reg .pred p; setp.ne.u32 p, %0, %1; vote.sync.any.pred p, p, -1; selp.b32 %0, %0, %2, p;}");
#elif OP == 41
    STEP("match.any.sync.b32 %0, %0, -1;");
#elif OP == 42
    STEP("redux.sync.min.s32 %0, %0, -1;");
#elif OP == 43
    STEP("{.reg .f64 t; .reg .u32 l; cvt.f64.f32 t, %0; mov.b64 {l, %0}, t;}");
#elif OP == 44
    STEP("fns.b32 %0, %0, 0, 1;");
#elif OP == 45
    STEP("{.reg .u32 t; mul.lo.u32 t, %0, %1; add.u32 %0, t, %2;}");
#elif OP == 46
    STEP("div.approx.ftz.f32 %0, %0, %1;");
#elif OP == 47
    STEP("div.full.f32 %0, %0, %1;");
#elif OP == 48
    STEP("rem.u32 %0, %0, %1;");
#elif OP == 49
    STEP("div.u32 %0, %0, %1;");
#elif OP == 50
    STEP("mul24.lo.u32 %0, %0, %1;");
#elif OP == 51
    STEP("{.reg .u32 t; mov.u32 t, %%laneid; add.u32 %0, %0, t;}");
#elif OP == 52
    STEP("{.reg .u32 t; mov.u32 t, %%clock; add.u32 %0, %0, t;}");
#elif OP == 53
    STEP("{.reg .b16 h, g; mov.b32 {h, g}, %0; cvt.rn.f16x2.e4m3x2 %0, h;}");
#elif OP == 54
    STEP("{.reg .b16 h; cvt.rn.satfinite.e4m3x2.f16x2 h, %0; mov.b32 %0, {h, h};}");
#elif OP == 55
    STEP("{.reg .f32 t; neg.f32 t, %0; fma.rn.f32 %0, t, %1, %2;}");
#elif OP == 56
    STEP_OF_TWO("{.reg .u64 t; mov.b64 t, {%0, %1}; mad.wide.u32 t, %0, %2, t; mov.b64 {%0, %1}, t;}");
#elif OP == 57
    STEP_OF_TWO("{.reg .u64 t; mov.b64 t, {%0, %1}; mad.wide.s32 t, %0, %2, t; mov.b64 {%0, %1}, t;}");
#elif OP == 58
    STEP("{.reg .u64 t; .reg .u32 l, h; mul.wide.u32 t, %0, %1; mov.b64 {l, h}, t; xor.b32 %0, l, h;}");
#elif OP == 59
    STEP_OF_TWO("mad.hi.u32 %0, %0, %2, %3; fma.rn.f32 %1, %1, %2, %3; fma.rn.f32 %1, %1, %2, %3;");
#else
    STEP_OF_TWO("mad.hi.u32 %0, %0, %2, %3; lop3.b32 %1, %1, %2, %3, 0x96; lop3.b32 %1, %1, %2, %3, 0x1e;");
#endif
}

extern "C" __global__ void operation_pace(long long* __restrict__ cycles, unsigned* __restrict__ sink, unsigned a, unsigned b, unsigned start) {
    unsigned x[CHAINS], y[CHAINS];
    long long begun = 0;
#pragma unroll
    for (int c = 0; c < CHAINS; ++c) x[c] = start + c + threadIdx.x, y[c] = x[c];
    for (int pass = 0; pass < 2; ++pass) {
        __syncthreads();
        begun = clock64();
#pragma unroll 1
        for (int i = 0; i < 16; ++i)
#pragma unroll
            for (int k = 0; k < 32 / CHAINS; ++k)
#pragma unroll
                for (int c = 0; c < CHAINS; ++c) step(x[c], y[c], a, b);
    }
    const long long taken = clock64() - begun;
    unsigned sum = 0;
#pragma unroll
    for (int c = 0; c < CHAINS; ++c) sum += OP < 56 ? x[c] : x[c] ^ y[c];
    cycles[blockIdx.x * blockDim.x + threadIdx.x] = taken;
    sink[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
