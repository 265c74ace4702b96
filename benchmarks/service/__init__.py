"""What the service costs and how fast it answers."""
