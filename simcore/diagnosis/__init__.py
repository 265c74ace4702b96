"""What limits a kernel, and what to do about it."""
