"""The tables, and the mapping between records and rows."""
