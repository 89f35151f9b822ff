"""Modes that check and watch what runs; none of them runs a node that was not demanded."""
