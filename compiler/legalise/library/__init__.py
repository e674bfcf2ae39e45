"""Library calls in the core language."""
