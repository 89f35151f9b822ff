"""Graphs and explanations as text."""
