// A stack machine: every thread runs the same byte code over its own stack in shared memory.
extern "C" __global__ void interpreter(const int* __restrict__ program, int* __restrict__ out, int length) {
    __shared__ int stack[8][BLOCK_SIZE];
    int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
    int top = 0;
    stack[0][threadIdx.x] = i;
    for (int pc = 0; pc < length; ++pc) {
        int word = program[pc + (DIVERGENT ? threadIdx.x % 4 : 0)];
        int& head = stack[top][threadIdx.x];
        switch (word % 10) {
            case 0: head += word; break;
            case 1: head *= 3; break;
            case 2: head ^= head >> 3; break;
            case 3: head = __popc(head); break;
            case 4: if (top < 7) stack[++top][threadIdx.x] = word; break;
            case 5: if (top > 0) { stack[top - 1][threadIdx.x] += head; --top; } break;
            case 6: head = ~head; break;
            case 7: head = max(head, word); break;
            case 8: head -= word >> 1; break;
            case 9: head = (head << 2) + 1; break;
        }
    }
    out[i] = stack[top][threadIdx.x];
}
