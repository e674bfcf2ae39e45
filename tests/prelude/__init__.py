"""Tests of `compiler/prelude`."""
