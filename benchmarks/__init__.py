"""Programs that answer a question with a figure: of speed, of faults, of agreement with silicon."""
