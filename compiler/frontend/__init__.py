"""From the syntax of a function to its untyped program."""
