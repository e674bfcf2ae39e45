"""Emitted modules as files: found by their content, kept, and written out whole."""
