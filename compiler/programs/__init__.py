"""The programs that are emitted: from a function and what is asked of it to its sweeps."""
