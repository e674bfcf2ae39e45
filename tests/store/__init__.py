"""Tests of `compiler/store`."""
