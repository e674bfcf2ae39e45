"""Tests of `compiler/emit`."""
