"""Tests of `compiler/reading`."""
