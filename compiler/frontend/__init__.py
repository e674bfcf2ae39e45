"""Lower the syntax tree of a function to its untyped program."""
