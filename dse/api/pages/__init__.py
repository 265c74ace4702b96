"""Pages for people: what the API says, rendered on the server. They change nothing, and need no scripts or network."""
