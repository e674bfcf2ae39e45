"""Tests of `compiler/typing`."""
