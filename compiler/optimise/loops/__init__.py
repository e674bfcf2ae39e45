"""Passes that split, merge and turn loops, and move invariant work out of them."""
