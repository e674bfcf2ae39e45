"""The text of a function: where it is, what its names mean, and its control flow as structure."""
