"""Loops that run on all cores: what makes it safe, and the blocks of iterations that the cores get."""
