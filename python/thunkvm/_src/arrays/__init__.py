"""NumPy's functions on Variables, and the performs of Ops of arrays."""
