"""Detailed views of a run: by instruction and source line, and cycle by cycle."""
