"""Functions of NumPy's and PyTensor's that are compositions of Ops: one noun a file."""
