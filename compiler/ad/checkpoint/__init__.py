"""What the reverse sweep needs of the primal, and how it gets it: at hand, computed again, read back or recorded."""
