"""Terminal output: progress, tables, explanations."""
