"""Dicts whose literal keys change, and variables of several functions, as variables, before control flow becomes structure."""
