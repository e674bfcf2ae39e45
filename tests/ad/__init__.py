"""Tests of `compiler/ad`."""
