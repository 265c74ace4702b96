"""When instructions issue, and what they wait for."""
