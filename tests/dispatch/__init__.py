"""Tests of `compiler/dispatch`."""
