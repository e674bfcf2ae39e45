"""Tests of `compiler/explanation`."""
