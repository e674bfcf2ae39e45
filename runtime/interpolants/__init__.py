"""The interpolants of `scipy.interpolate` as Python text, which the compiler writes out where a program makes them."""
