"""The advice to somebody who writes the names of another library."""
