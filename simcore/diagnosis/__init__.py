"""What held a kernel up, and what to do about it."""
