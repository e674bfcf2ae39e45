"""Tests of `compiler/rules`."""
