"""What a sweep answers: the best variants with their ties, which one to take, and one for all GPUs."""
