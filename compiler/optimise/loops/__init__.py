"""Passes that split, merge and reverse loops, and move invariant work out of them."""
