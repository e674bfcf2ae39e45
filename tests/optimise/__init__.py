"""Tests of `compiler/optimise`."""
