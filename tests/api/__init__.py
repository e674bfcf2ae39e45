"""Tests of `compiler/api`."""
