"""Instruction words to text without the disassembler, from a table of forms for each architecture.

A form is a pattern of fixed bits (opcode and modifiers) with the text that it stands for and the fields (registers,
predicates, immediates, displacements) that fill it. The tables in `tables/` were found by asking NVIDIA's disassembler
about systematically changed words (`benchmarks/simulator/encodings.py`); a word that no form covers is still
the disassembler's to read, so nothing is guessed.
"""

from simcore.machine_code.encoding.table import EncodingTable, load_table

__all__ = ["EncodingTable", "load_table"]
