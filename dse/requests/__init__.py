"""What a person asks for, checked before any work is done."""
