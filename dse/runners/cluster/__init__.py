"""Parts of the Ray runner: the Ray instance and its actors."""
