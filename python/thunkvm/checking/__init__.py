"""Modes that check and observe nodes as they run; none runs a node that was not demanded."""
