"""Passes that ask who wrote what is read: loads, arrays, records and stores that the program can do without."""
