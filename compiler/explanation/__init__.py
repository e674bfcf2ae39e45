"""Explain how the reverse sweep gets each value, and show a function beside its emitted code."""
