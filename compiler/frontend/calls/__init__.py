"""Calls: which kinds there are, and what each becomes."""
