"""What must be executed to know control flow and addresses, and what follows from the rest."""
