"""Facts about the integers of a program: extents, subscripts, and which of them can be equal."""
