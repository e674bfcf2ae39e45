"""What lists do when the program runs: their methods, heaps, dicts of two lists, and lists as results."""

from __future__ import annotations

from pathlib import Path

FOLDER = str(Path(__file__).parent)
"""Where these functions are, which the compiler writes out."""
