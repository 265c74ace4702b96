"""Running sweeps: many on one runner, each with its share."""
