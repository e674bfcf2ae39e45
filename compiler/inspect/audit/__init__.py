"""Derivatives written by hand: find them, check them, time them."""
