"""Arithmetic lane by lane, bit for bit as the hardware does it."""
