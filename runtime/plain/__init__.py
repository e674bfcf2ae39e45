"""Functions of Python's library that have loops, in Python that the compiler writes out where they are called."""
