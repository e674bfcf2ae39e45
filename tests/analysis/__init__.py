"""Tests of `compiler/analysis`."""
