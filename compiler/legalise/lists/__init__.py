"""Lists in the core language: arrays that grow, and tapes."""
