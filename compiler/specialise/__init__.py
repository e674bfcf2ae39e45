"""The callables that transformations return; each has code of its own for each signature."""
