"""Database connections, locks, and retries."""
