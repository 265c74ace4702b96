"""SIGKILL at random moments: what is lost or duplicated."""
