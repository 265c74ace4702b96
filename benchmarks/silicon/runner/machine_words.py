"""Machine code that is changed word by word before a GPU runs it."""

import io
from collections.abc import Callable

WORD_BYTES = 16


def rewritten(cubin: bytes, change: Callable[[int], int]) -> bytes:
    """A cubin whose kernels have other words, by what becomes of each, in the order of the code."""
    from elftools.elf.elffile import ELFFile  # which GPU machines lack

    content = bytearray(cubin)
    for section in ELFFile(io.BytesIO(cubin)).iter_sections():
        if section.name.startswith(".text."):
            start, size = section["sh_offset"], section["sh_size"]
            for at in range(start, start + size, WORD_BYTES):
                word = int.from_bytes(cubin[at : at + WORD_BYTES], "little")
                content[at : at + WORD_BYTES] = change(word).to_bytes(WORD_BYTES, "little")
    return bytes(content)
