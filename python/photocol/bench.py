"""Standard scenarios and what they cost."""
