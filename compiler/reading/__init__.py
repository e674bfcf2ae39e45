"""Read a function: find its text, resolve its names, and turn its control flow into structure."""
