"""Instruction words to text without the disassembler, using a table of forms for each architecture.

A form is a pattern of fixed bits (opcode and modifiers) with its text and the fields (registers, predicates,
immediates, displacements) that fill it. The tables in `tables/` were derived by running NVIDIA's disassembler on
systematically changed words (`benchmarks/simulator/encodings/`); a word that no form covers still goes to the
disassembler, so nothing is guessed.
"""

from simcore.machine_code.encoding.table import EncodingTable, load_table

__all__ = ["EncodingTable", "load_table"]
