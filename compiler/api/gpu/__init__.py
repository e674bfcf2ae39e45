"""Derivatives on a GPU."""
