"""The tables, and how records become rows."""
