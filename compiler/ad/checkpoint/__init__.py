"""Decide how the reverse sweep gets each value of the primal that it reads: at hand, computed again, read back or recorded."""
