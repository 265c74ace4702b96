// A text through a deterministic automaton of 64 states over 32 classes of letters, a chunk a thread from the start
// state; counts of accepting states. Table in shared memory or not, text a word or four words an access.
extern "C" __global__ void dfa_match(const unsigned* __restrict__ text, const unsigned char* __restrict__ table,
                                     int* __restrict__ counts)
{
    const int t = blockIdx.x * THREADS + threadIdx.x;
#if IN_SHARED
    __shared__ unsigned char next[64 * 32];
    for (int i = threadIdx.x; i < 64 * 32 / 4; i += THREADS)
        reinterpret_cast<unsigned*>(next)[i] = reinterpret_cast<const unsigned*>(table)[i];
    __syncthreads();
#else
    const unsigned char* next = table;
#endif
    const unsigned* mine = text + (size_t)t * (CHUNK / 4);
    unsigned state = 0;
    int count = 0;
    auto eat = [&](unsigned word) {
#pragma unroll
        for (int b = 0; b < 4; ++b) {
            state = next[state * 32 + (word >> (8 * b) & 31)];
            count += state >= 60;
        }
    };
    for (int i = 0; i < CHUNK / 4; i += WORDS) {
#if WORDS == 4
        const uint4 w = *reinterpret_cast<const uint4*>(mine + i);
        eat(w.x);
        eat(w.y);
        eat(w.z);
        eat(w.w);
#else
        eat(mine[i]);
#endif
    }
    counts[t] = count;
}
