"""Variables on the paths of a program: those that some path leaves unassigned, or None, and loops of one round."""
