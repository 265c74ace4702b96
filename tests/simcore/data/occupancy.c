/* Writes occupancy.csv: what NVIDIA's cuda_occupancy.h answers for random launches.
 *
 *   cc -I"$CUDA_HOME/include" occupancy.c -o occupancy && ./occupancy > occupancy.csv
 */
#include <stdio.h>
#include <stdlib.h>

#include "cuda_occupancy.h"

typedef struct {
    const char *name;
    int major, minor, sms, shared_per_sm, shared_per_block_optin;
} Chip;

static const Chip CHIPS[] = {
    {"a100-80gb", 8, 0, 108, 164 * 1024, 163 * 1024},
    {"h100-sxm", 9, 0, 132, 228 * 1024, 227 * 1024},
    {"h200", 9, 0, 132, 228 * 1024, 227 * 1024},
    {"b200", 10, 0, 148, 228 * 1024, 227 * 1024},
};

static void answer(const Chip *chip, int threads, int registers, int shared) {
    cudaOccDeviceProp device = {0};
    device.computeMajor = chip->major;
    device.computeMinor = chip->minor;
    device.maxThreadsPerBlock = 1024;
    device.maxThreadsPerMultiprocessor = 2048;
    device.regsPerBlock = device.regsPerMultiprocessor = 65536;
    device.warpSize = 32;
    device.sharedMemPerBlock = 48 * 1024;
    device.sharedMemPerMultiprocessor = chip->shared_per_sm;
    device.numSms = chip->sms;
    device.sharedMemPerBlockOptin = chip->shared_per_block_optin;
    device.reservedSharedMemPerBlock = 1024;

    cudaOccFuncAttributes kernel = {0};
    kernel.maxThreadsPerBlock = 1024;
    kernel.numRegs = registers;
    kernel.maxDynamicSharedSizeBytes = shared;
    kernel.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;

    cudaOccDeviceState state = {0};
    state.carveoutConfig = SHAREDMEM_CARVEOUT_MAX_SHARED;

    cudaOccResult result = {0};
    if (cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &kernel, &state, threads, shared)) exit(1);
    printf("%s,%d,%d,%d,%d,%d,%d,%d,%d\n", chip->name, threads, registers, shared,
           result.activeBlocksPerMultiprocessor, result.blockLimitRegs, result.blockLimitSharedMem,
           result.blockLimitWarps, result.blockLimitBlocks);
}

int main(void) {
    puts("gpu,threads,registers,shared_bytes,blocks_per_sm,registers_limit,shared_memory_limit,warps_limit,"
         "blocks_limit");
    srand(2026);
    for (int i = 0; i < 400; ++i) {
        int shared = i % 3 ? 0 : rand() % (1 << (9 + rand() % 9));
        const Chip *chip = &CHIPS[i % 4];
        if (shared <= chip->shared_per_block_optin)
            answer(chip, 1 + rand() % 1024, 1 + rand() % (i % 2 ? 64 : 255), shared);
    }
    return 0;
}
