"""The distributions of `scipy.stats` as Python text, which the compiler writes out where they are called."""
