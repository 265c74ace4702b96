"""What the core is built around: these numbers are in the shape of its code, and no GPU since Volta has others.

A warp has 32 lanes. Memory is words of 4 bytes; an L1 line is 32 of them, one from each bank of the data array, and
has four sectors. Constants are numbered in lines of 64 bytes, 1,024 to a bank. `simcore.gpu_conditions` refuses a GPU
with other lines or sectors.
"""

MAX_WARPS_PER_BLOCK = 64  # what the ledger numbers; CUDA has 32

LINE_SHIFT = 7
LINE_BYTES = 1 << LINE_SHIFT
SECTORS = 4
ALL_SECTORS = (1 << SECTORS) - 1  # of a line, a bit each
SECTOR_BYTES = LINE_BYTES // SECTORS
SECTOR_SHIFT = 5  # log2 of its bytes
SECTOR_WORDS = 8
WORD_BYTES = 4
WORD_SHIFT = 2  # log2 of its bytes
LINE_WORDS = LINE_BYTES // WORD_BYTES
SECTOR_MASK = (1 << SECTOR_WORDS) - 1  # a sector's words, a bit each

L1_SET_BITS = 9
L1_SETS = 1 << L1_SET_BITS
"""Of L1's tags: as many as the hash of `simcore.core.timing.l1_sets` tells apart."""

PASS_BYTES = 128.0  # a word from each of the 32 banks
MAX_LINES = 32 * 4  # of one access: four words of local memory of each lane, each word in a line of its own

LOCAL_BASE = 1 << 50
"""Local memory lies here, apart from all buffers; a warp's words are interleaved lane by lane."""

INSTRUCTION_BYTES = 16
CONSTANT_LINE_BYTES = 64
CONSTANT_LINES_PER_BANK = 1024
