"""What is said to somebody who writes what another library calls it."""
