"""Parts of the Ray runner: the Ray instance, its actors, and the quarantine of points."""
