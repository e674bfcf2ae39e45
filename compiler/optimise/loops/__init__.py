"""Loops that are split, merged, turned, and freed of work that does not change."""
