"""A sweep's results as tables and files."""
