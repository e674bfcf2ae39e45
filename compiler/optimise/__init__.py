"""Passes that make a program compute the same with less work."""
