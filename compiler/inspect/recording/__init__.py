"""One run of a function, recorded, and the way back over it."""
