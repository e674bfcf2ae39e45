"""Dicts, sets and variables of several functions as lists and variables, before control flow becomes structure."""
