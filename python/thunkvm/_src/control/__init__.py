"""Functions that decide, fall back, print or stop, and so may not need all their values."""
