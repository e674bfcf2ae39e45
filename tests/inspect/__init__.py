"""Tests of `compiler/inspect`."""
