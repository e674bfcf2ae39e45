"""Tests of `compiler/frontend`."""
