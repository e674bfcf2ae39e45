"""In what order memory may be read and written: by the iterations of loops, and by the elements of array statements."""
