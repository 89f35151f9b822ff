"""Graphs in files: the zip, the JSON in it, and the errors of a damaged one."""
