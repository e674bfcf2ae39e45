"""Differentiation: the reverse sweep, tangents, and what both take from the rules."""
