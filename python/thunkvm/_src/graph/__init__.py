"""Variables, Types, values and Ops: what graphs are made of."""
