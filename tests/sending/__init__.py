"""Tests of `compiler/sending`."""
