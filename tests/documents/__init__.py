"""Tests of what is written for readers: docs/, doctests, the README, the language's table, messages."""
