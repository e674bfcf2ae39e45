"""Inspect a derivative: traces, explanations, pictures, and the command line."""
