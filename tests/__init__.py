"""The tests of Backsweep."""
