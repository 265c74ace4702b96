"""What becomes of damaged instruction words and damaged cubins? Never a crash, a hang, or a pass in silence.

`words` flips each bit of real instructions, one at a time. What the disassembler refuses must be refused, and what it
reads differently must be packed differently, unless the difference is declared to have no effect; or be refused.
`cubins` overwrites bytes of cubins and simulates them, each in a process of its own: what comes must be a result or one
of this package's errors, within seconds and a bounded amount of memory.
"""
