"""SIGKILL at random moments: what is lost, and what is there twice."""
