"""Dicts, sets and deques as lists and variables, written before control flow becomes structure."""
