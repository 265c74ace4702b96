"""Opening a database, its locks, and what to do when it goes away."""
