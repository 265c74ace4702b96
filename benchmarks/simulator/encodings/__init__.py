"""How the tables of `simcore.machine_code.encoding` are made and checked: by asking NVIDIA's disassembler."""
