"""Write a program as Python text that people read."""
