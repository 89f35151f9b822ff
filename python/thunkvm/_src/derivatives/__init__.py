"""Gradients, and the test of gradients against differences."""
