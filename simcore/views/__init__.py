"""A run told in detail: by instruction and source line, and cycle by cycle."""
